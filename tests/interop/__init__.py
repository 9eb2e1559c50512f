"""Other people's readers and writers of this format, against files that the product wrote."""
