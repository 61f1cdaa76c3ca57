"""Parts that several pages show: choosers, gallery, notices, exports, trash."""
