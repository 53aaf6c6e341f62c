"""Photos: who is who, as they arrive. Faces are found, embedded, clustered and corrected.

`reading` makes faces of one photo, `library` keeps them in SQLite, `people` clusters them, `facts`
says what follows from corrections, `page` shows it all. Originals are only read.
"""
