"""What mixing did to the graphs (Sec. 5.2): edit distances, and how far Theorem 1 carries."""
