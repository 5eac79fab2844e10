"""What mixing did to the graphs (Sec. 5.2): where mixes lie, and how far Theorem 1 carries."""
