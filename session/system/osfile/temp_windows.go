package osfile

import "io/fs"

// clearsTemp: a file that is open cannot be renamed, and keeps its folder.
const clearsTemp = false

func isOwn(fs.FileInfo) bool { return false }
