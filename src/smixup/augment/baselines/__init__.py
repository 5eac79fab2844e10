"""The methods that the paper compares with (Table 1, Sec. 6 Baselines), one per file."""
