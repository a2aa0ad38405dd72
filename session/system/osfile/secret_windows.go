package osfile

import "io/fs"

func checkSecret(string, fs.FileInfo) error { return nil }
