"""Files: replaced as a whole or not at all; sizes and tables as text."""
