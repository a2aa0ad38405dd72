package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note"
	"perfdeck/session/record/zips"
)

var (
	errFilesAndPaths = errors.New("recordings and counter paths do not go together")
	errPlainFiles    = errors.New("--plain prints live counters, no recordings")
)

// recordingsOf are the arguments of perfdeck itself if they are recordings: files whose
// content is one, or an archive of some. Without any they are counter paths.
func recordingsOf(args []string) (files []string, err error) {
	other := ""
	for _, arg := range args {
		if isBeside(arg) && len(args) > 1 {
			continue
		}
		switch is, err := isRecording(arg); {
		case err != nil:
			return nil, err
		case is:
			files = append(files, arg)
		default:
			other = arg
		}
	}
	if len(files) > 0 && other != "" {
		return nil, usage(session.WithHint(errFilesAndPaths, session.Printable(other)+" is no file with a recording"))
	}
	return files, nil
}

// isBeside tells the file of notes that stands beside a recording: patterns of a shell
// name it too.
func isBeside(arg string) bool {
	name, is := strings.CutSuffix(arg, note.Suffix)
	if !is {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
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
	_, err = logs.Detect(arg)
	if err == nil {
		return true, nil
	}
	if _, pathErr := paths.Parse(arg); pathErr == nil {
		return false, nil
	}
	return false, err
}

// showRecordings shows recordings that were named without a command.
func (p *program) showRecordings(c *cobra.Command, files []string) error {
	if plain, _ := c.Flags().GetBool("plain"); plain {
		return usage(session.WithHint(errPlainFiles, "perfdeck relog --summary sums a recording up"))
	}
	rules, err := c.Flags().GetStringArray("alert")
	if err != nil {
		return err
	}
	return p.replay(c, files, replayFlags{align: alignments[0].name, rules: rules})
}
