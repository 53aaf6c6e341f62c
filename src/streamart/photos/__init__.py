"""Sort the faces in a folder of photos by person, as photos arrive.

`reading` finds and embeds the faces of a photo, `library` keeps them in SQLite, `people` clusters
them, `facts` applies corrections, and `page` shows the result. Photos are never changed.
"""
