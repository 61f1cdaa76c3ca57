"""Parts that several pages show: choosers, gallery, notices, what can be shared, trash."""
