// Package reporting makes the report of recordings that a user names: it opens them, leaves out
// what cannot be read, finds the time, the hosts and the notes that are meant, and has rules
// judged over that.
package reporting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/difference"
	"perfdeck/session/analysis/report"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/past"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/printable"
)

// Options say what is told, and of what. Functions are called by the goroutine that makes
// the report.
type Options struct {
	Begin, End string        // as relog takes them; empty: no limit
	Last       time.Duration // only so much of the end; 0: all
	Hosts      []string      // that are told of; none: all
	Output     string        // of the command that makes the report; empty: the terminal
	Perfdeck   string        // the version that makes it

	// Open opens a recording, more than once.
	Open func(name string) (logs.Reader, error)
	// Shown has the names in a text that the user knows, in place of those of files.
	Shown func(text string) string
	// Named is a recording as the user named it, which may be an archive with others; again
	// tells whether commands can read it by that name. nil: all are files that were named.
	Named func(file string) (name string, again bool)
	// Rules are those that are judged, once the recordings are open; of two with one name it
	// is the first.
	Rules  func() ([]alert.Rule, error)
	Every  time.Duration // of rules without an interval
	Looks  session.Looks
	Guard  *guard.Guard
	Report func(error)         // hears what is left out
	Tick   func(share float64) // hears how much is done
}

var errNoSamples = errors.New("the recording has no samples")

// Report makes a report. Recordings that cannot be opened are reported and left out: missing
// tells that some are; none at all is an error, that of the last. *session.UsageError is that
// nothing lies between the limits (relog.ErrOutside), or that no recording has one of the
// hosts (difference.ErrNoHost).
func Report(ctx context.Context, files []string, o Options) (made *report.Report, missing bool, err error) {
	files, missing, err = relog.OpenSome(ctx, files, o.readable, o.Report)
	if err != nil {
		return nil, false, err
	}
	player, err := replay.Open(files, replay.Options{Guard: o.Guard, Open: o.Open})
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = player.Close() }()
	if err := player.Know(ctx); err != nil {
		return nil, false, err
	}
	rules, err := o.Rules()
	if err != nil {
		return nil, false, err
	}
	told, err := o.told(player, files)
	if err != nil {
		return nil, false, err
	}
	made, err = report.Make(ctx, player, *told, report.Judging{Rules: rules, Every: o.Every, Guard: o.Guard}, o.Tick)
	return made, missing, err
}

// readable is the name of a recording that can be opened and has samples.
func (o *Options) readable(name string) (string, error) {
	r, err := o.Open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	span, err := r.Span()
	if err == nil && span.First.IsZero() {
		err = fmt.Errorf("report %s: %w", o.Shown(name), errNoSamples)
	}
	return name, err
}

// told is what is told of recordings.
func (o *Options) told(player *replay.Player, files []string) (*report.Options, error) {
	first, last := player.Bounds()
	again := func(words string) { o.Report(errors.New("report: " + words)) }
	begin, end, err := relog.Limits(o.Begin, o.End, first, last, first, again)
	if err != nil {
		return nil, err
	}
	if o.Last > 0 {
		begin = session.Later(begin, last.Add(-o.Last))
	}
	if begin.After(last) || !end.IsZero() && (end.Before(first) || end.Before(begin)) {
		return nil, failure.Usage(failure.WithHint(fmt.Errorf("report: nothing between --begin and --end: %w", relog.ErrOutside), relog.Extent(first, last)))
	}
	if err := o.checkHosts(player); err != nil {
		return nil, err
	}
	notes, damaged := notebook.Of(files, player.Line().Place, begin, end)
	for _, err := range damaged {
		o.Report(err)
	}
	var named, titles []string
	readable := true
	for _, file := range files {
		name, again := o.Shown(file), true
		titles = append(titles, past.Title(name))
		if o.Named != nil {
			name, again = o.Named(file)
		}
		if name = quoted(name); !slices.Contains(named, name) {
			named = append(named, name)
		}
		readable = readable && again
	}
	name := strings.Join(named, " ")
	command := "perfdeck report " + name
	if !readable {
		name = ""
	}
	if o.Output != "" {
		command += " -o " + quoted(o.Output)
	}
	return &report.Options{
		Title: strings.Join(titles, ", "), Name: name, Command: command, Version: o.Perfdeck, Begin: begin, End: end,
		Meant: o.meant, Looks: o.Looks, Notes: notes, Packs: rulepack.All(),
	}, nil
}

func (o *Options) meant(host string) bool { return inventory.Means(o.Hosts, host) }

// checkHosts refuses hosts that none of the recordings has.
func (o *Options) checkHosts(player *replay.Player) error {
	known := map[string]bool{}
	for _, h := range player.Hosts() {
		known[printable.Text(h.Name())] = true
	}
	if slices.ContainsFunc(player.Hosts(), func(h *replay.Host) bool { return o.meant(h.Name()) }) {
		return nil
	}
	return failure.Usage(failure.WithHint(fmt.Errorf("report: %s: %w", strings.Join(o.Hosts, ", "), difference.ErrNoHost), "it has "+difference.HostWords(known)))
}

// quoted is the name of a file as a shell takes it, and not for an option.
func quoted(text string) string {
	if len(text) > 1 && text[0] == '-' {
		text = "./" + text
	}
	if text == "" || strings.ContainsAny(text, " \t\n'\"\\$`!*?[](){}<>|&;#~") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
