package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/app/fetching"
	"perfdeck/session/files/formats"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/output"
	"perfdeck/session/text/english"
)

// fetchFlags are the flags of collect fetch.
type fetchFlags struct {
	fetching.Wanted

	Runs    bool   `flag:"runs" help:"list the runs that the host keeps, the newest first, instead"`
	MaxSize string `flag:"max-size" help:"copy no more bytes, as 2GB (default: as the disk has room)"`
}

func (p *program) collectFetchCommand() *cobra.Command {
	return flagged(&cobra.Command{
		Use:   "fetch NAME",
		Short: "Copy what a set of a Windows host recorded",
		Long: `fetch copies the files of the newest run of a set of the host that -H names, by SMB, signed or
sealed: from the share of the drive that they lie on, as C$, which administrators may enter,
or from one that the config names for the folder (shares of its [[host]]). Nothing of the host
is changed. The files go to a folder of the run's name, in that of -o.

What is interrupted goes on where it ended, unless the host's file has another size or other
times by then. A file that the host still writes is copied as far as it goes, and told; one
that the host lets nobody read is told with what can be done, and the others are copied.

The exit code is 3 when some of the files are not here, 1 when none is.`,
		Example: `  perfdeck collect fetch -H web01 EL4 -o logs
  perfdeck collect fetch -H web01 EL4 --runs
  perfdeck collect fetch -H web01 EL4 --run WEB01_20160604-000006 --max-size 2GB`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.withConfig,
	}, &fetchFlags{Wanted: fetching.Wanted{To: "."}}, p.fetch)
}

// fetch copies the files of a run, or lists the runs.
func (p *program) fetch(c *cobra.Command, args []string, f fetchFlags) error {
	w := f.Wanted
	host, err := p.setHost(c)
	if err == nil && host == "" {
		err = usage(errors.New("fetch: it is about sets of a host, and none is named"), "-H names it; collect report reads what sets of this computer recorded")
	}
	if err == nil && c.Flags().Changed("max-size") {
		w.Most, err = parseSize("max-size", f.MaxSize)
	}
	if err == nil && f.Runs && (w.Run != "" || c.Flags().Changed("output")) {
		err = usage(errors.New("--runs lists runs, and copies none"))
	}
	if err != nil {
		return err
	}
	from, err := p.known().Logs(host)
	if err != nil {
		return err
	}
	ctx := p.context()
	if w.Set, err = p.hostSets().Read(ctx, host, args[0]); err != nil {
		return err
	}
	if f.Runs {
		return p.listRuns(ctx, from, w.Set)
	}
	w.To = whole(w.To)
	share, note := 0.0, ""
	bar := output.NewBar(p.err, func() (float64, string, bool) { return share, note, true })
	w.Progress = func(done, all int64, file string) {
		share, note = float64(done)/float64(max(all, 1)), file
		bar.Show()
	}
	got, err := from.Fetch(ctx, w)
	bar.Clear()
	if got != nil {
		p.tellFetched(got, w)
	}
	if ctx.Err() != nil {
		p.tell("what came is kept, and the same command goes on there")
	}
	switch {
	case err != nil:
		return err
	case len(got.Files) == 0:
		return ended(exitFailed)
	}
	return partlyIf(len(got.Failed)+len(got.Refused) > 0)
}

func (p *program) listRuns(ctx context.Context, from *fetching.Host, set *pla.Set) error {
	runs, err := from.Runs(ctx, set)
	if err != nil {
		return err
	}
	for _, r := range runs {
		newest := ""
		if r.Newest {
			newest = "  newest"
		}
		p.say("%s  %s%s", r.Written.Local().Format("2006-01-02 15:04:05"), r.Name, newest)
	}
	return nil
}

// tellFetched says what is here, what is not, and how it is opened.
func (p *program) tellFetched(got *fetching.Result, w fetching.Wanted) {
	var opened []string
	growing := false
	for _, f := range got.Files {
		how := english.Size(f.Size)
		if f.Kept {
			how += ", was here already"
		}
		if f.Growing {
			how += ", as far as it went: the host still writes it"
			growing = true
		}
		p.say("%s: %s", f.Path, how)
		if _, err := formats.Detect(f.Path); err == nil {
			opened = append(opened, inShell(f.Path))
		}
	}
	for _, name := range got.Refused {
		p.report(fmt.Errorf("left out: %q is no name of a file here", name))
	}
	for _, err := range got.Failed {
		p.report(err)
	}
	if w.Set.Status == pla.Running && w.Run == "" && !growing && len(got.Files) > 0 {
		p.say("the set runs: what it still holds back comes with the next fetch")
	}
	if len(opened) > 0 {
		p.say("open it: perfdeck replay %s", strings.Join(opened, " "))
	}
}

// inShell is a name as shells take it.
func inShell(name string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:._-+@,="
	isPlain := func(r rune) bool { return strings.ContainsRune(plain, r) || r == filepath.Separator }
	if name != "" && strings.TrimFunc(name, isPlain) == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
