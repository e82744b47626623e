"""How alike environments are in shape, and the tasks of one of them."""
