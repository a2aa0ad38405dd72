package osfile

import (
	"io/fs"
	"os"
)

func checkSecret(*os.File, fs.FileInfo) error { return nil }
