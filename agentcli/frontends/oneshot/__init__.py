"""``--print``: one prompt in, one answer out. stdout belongs to the answer."""
