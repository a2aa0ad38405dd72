package spool

import (
	"errors"
	"os"

	"perfdeck/paths"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/zips"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

var errFilesAndPaths = errors.New("recordings and counter paths do not go together")

// Recordings are arguments if they are recordings: files whose content is one, or an archive
// of some, or what isSpan knows for a part of the past of an engine. Without any they are
// counter paths.
func Recordings(args []string, isSpan func(string) bool) (files []string, err error) {
	other := ""
	for _, arg := range args {
		if notebook.IsBeside(arg) && len(args) > 1 {
			continue
		}
		switch is, err := isRecording(arg); {
		case err == nil && !is && isSpan(arg):
			files = append(files, arg)
		case err != nil:
			return nil, err
		case is:
			files = append(files, arg)
		default:
			other = arg
		}
	}
	if len(files) > 0 && other != "" {
		return nil, failure.Usage(errFilesAndPaths, printable.Text(other)+" is no file with a recording")
	}
	return files, nil
}

// isRecording tells whether an argument is a recording. What is a file, and neither that
// nor a counter path, is told for what it is.
func isRecording(arg string) (bool, error) {
	info, err := os.Stat(arg)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil //nolint:nilerr // then it is a counter path
	}
	if zips.Is(arg) {
		return true, nil
	}
	_, err = formats.Detect(arg)
	if err == nil {
		return true, nil
	}
	if _, pathErr := paths.Parse(arg); pathErr == nil {
		return false, nil
	}
	return false, err
}
