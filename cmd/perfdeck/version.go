package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/text/printable"
)

// versionFile is the release that is being worked on.
//
//go:embed VERSION
var versionFile string

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "perfdeck %s (%s) %s %s/%s\n", version(), revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// version is the tag of the build, else the release that is being worked on.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		tag, is := strings.CutPrefix(info.Main.Version, "v")
		if tag, _, _ = strings.Cut(tag, "+"); is && !strings.Contains(tag, "-") { // else made up of the commit
			return printable.Text(tag)
		}
	}
	return strings.TrimSpace(versionFile)
}

// revision is the commit of the build and its date, where the build noted them.
func revision() string {
	said := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
	}
	if said["vcs.revision"] == "" {
		return "built without its commit"
	}
	dirty := ""
	if said["vcs.modified"] == "true" {
		dirty = "+dirty"
	}
	day, _, _ := strings.Cut(said["vcs.time"], "T")
	return fmt.Sprintf("%.12s%s of %s", said["vcs.revision"], dirty, cmp.Or(day, "an unknown day"))
}
