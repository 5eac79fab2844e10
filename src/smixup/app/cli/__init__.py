"""The command line: one file per verb; a verb parses, calls the library and prints."""
