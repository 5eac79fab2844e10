"""The page of results, written anew from the records: every number in it comes from here."""
