"""Files: replaced as a whole or not at all, and sizes in words."""
