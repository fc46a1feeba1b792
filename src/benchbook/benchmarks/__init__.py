"""One module per benchmark: read, check, evaluate, tidy tables."""
