package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// unzipped unpacks an archive into a folder: unzipped FILE FOLDER.
func unzipped(ts *testscript.TestScript, _ bool, args []string) {
	archive, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer archive.Close()
	for _, f := range archive.File {
		in, err := f.Open()
		ts.Check(err)
		text, err := io.ReadAll(in)
		ts.Check(err)
		file := filepath.Join(ts.MkAbs(args[1]), filepath.Base(f.Name))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
		ts.Check(os.WriteFile(file, text, 0o600))
	}
}
