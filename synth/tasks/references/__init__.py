"""How a request refers to rows, and the reads that find them."""
