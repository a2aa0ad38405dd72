package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/reporting"
	"perfdeck/session/app/sampling"
	"perfdeck/session/config"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/joined"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/output"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// whyFlags are the flags of why.
type whyFlags struct {
	Length  string `flag:"for" help:"how long hosts are watched"`
	Last    string `flag:"last" help:"read only so long of the end of recordings; for hosts, how far back to look for since when (default: all, of hosts 1h)"`
	Format  string `flag:"format" short:"f" help:"format: text|json"`
	Check   bool   `flag:"check" help:"be a plugin of Nagios: its first line and its exit code"`
	Verbose bool   `flag:"verbose" short:"v" help:"all that was found, however long"`
	read    logs.OpenOptions
}

// whyFor is how long is watched unless it is said.
const whyFor = "15s"

// whyEventsBack is how long before what is joined hosts are asked what they wrote down.
const whyEventsBack = 10 * time.Minute

// whyBack is how far back recordings are asked since when it is so, unless it is said.
const whyBack = time.Hour

func (p *program) whyCommand() *cobra.Command {
	f := whyFlags{Length: whyFor, Format: "text"}
	c := flagged(&cobra.Command{
		Use:   "why [FILE...]",
		Short: "What is wrong, since when, and who does it: the answer in a few lines",
		Long: `What is wrong here, since when, how bad, and who does it? why watches this computer, or the
hosts of -H, for 15 seconds (--for), or reads recordings, and prints a few lines a host,
the worst first: what is wrong, since when, who has how much of it, what went along, what
to look at next, whose memory grew, and what could not be seen. Hosts that are well share a
line.

Recordings of the hosts from the last hour (--last) are read, too: they tell since when.
So are the hosts' logs from ten minutes before that on, where this account may read them.

It judges as report does, by the same rules, over that time. What has gone on for 10
seconds at its end, but not for as long as its rule asks, is told one severity milder.
report has all of it with its arithmetic, compare tells what changed.

The exit code is 0 whatever was found, 3 where something could not be seen. With --check
it is that of a plugin of Nagios: 0 well or careful, 1 warning, 2 critical, 3 not known.`,
		Example: `  perfdeck why
  perfdeck why -H sql01 -H web02 --for 1m
  perfdeck why night.db --last 1h
  perfdeck why --check -H sql01`,
	}, &f, func(c *cobra.Command, args []string, f whyFlags) error { return p.checked(f.Check, p.why(c, args, f)) })
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return p.checked(slices.Contains(p.args, "--check"), usage(err, "see "+c.CommandPath()+" --help"))
	})
	addReadingFlags(c, &f.read, "")
	offer(c, "format", []string{"text", "json"})
	return c
}

// checked is an error as a plugin has it: it is not known how things stand.
func (p *program) checked(isCheck bool, err error) error {
	if coded, ok := errors.AsType[*exitError](err); !isCheck || err == nil || ok && coded.err == nil {
		return err
	}
	fmt.Fprintln(p.out, "UNKNOWN: "+printable.Text(p.shown(err.Error())))
	p.report(err)
	return ended(exitPartly)
}

// why answers.
func (p *program) why(c *cobra.Command, names []string, f whyFlags) error {
	if f.Format != "text" && f.Format != "json" {
		return unknownValue("format", f.Format, "text, json")
	}
	length, err := seconds("for", f.Length)
	if err == nil && length < time.Second {
		err = usage(fmt.Errorf("--for %s: a second is the least", f.Length))
	}
	if err != nil {
		return err
	}
	settings, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	rules, err := p.rulesOfReport(reportFlags{})
	if err != nil {
		return err
	}
	var last time.Duration
	if f.Last != "" {
		if last, err = seconds("last", f.Last); err != nil {
			return err
		}
	}
	back := cmp.Or(last, whyBack)
	isLive := len(names) == 0
	var watched watchedHosts
	if isLive {
		watched, err = p.watchFor(c.Context(), length, whyEventsBack+back, rules)
	} else {
		watched.files, watched.done, err = p.spooled().Files(names)
	}
	if err != nil {
		return err
	}
	defer watched.done()
	unseen := watched.unseen
	o := reporting.Options{
		Hosts: p.flags.Hosts, Perfdeck: version(), Open: p.opener(c.Context(), f.read), Shown: p.shown, Named: p.spooled().Named,
		Rules: func() ([]alert.Rule, error) { return rules, nil }, Every: every, Looks: p.config.Counters.Looks(settings), Guard: p.guard,
		Report: p.tellError, Tick: func(float64) {},
	}
	var opens map[string]string
	if isLive {
		opens = map[string]string{}
		for _, h := range watched.hosts {
			opens[h.Name] = h.Open
		}
		o.Hosts = nil // the file has them under names of its own
	} else {
		o.Last = last
	}
	r, left, err := reporting.Report(c.Context(), watched.files, o)
	if err != nil {
		return err
	}
	if isLive {
		if err := p.whySince(c.Context(), r, watched.files[0], watched.hosts, back, o); err != nil {
			p.tellError(err)
		}
	}
	var text bytes.Buffer
	if f.Format == "json" {
		r.Missing = append(r.Missing, unseen...)
		err = r.WriteJSON(&text)
	} else {
		if f.Check {
			text.WriteString(checkLine(r, unseen) + "\n")
		}
		err = r.WriteWhy(&text, report.WhyOptions{
			TextOptions: report.TextOptions{Printer: p.people(p.out), ASCII: settings.ASCII}, Opens: opens, All: f.Verbose, Unseen: unseen,
		})
	}
	if err != nil {
		return err
	}
	if err := p.writeText("", false, text.Bytes()); err != nil {
		return err
	}
	if f.Check {
		return checkCode(r, unseen)
	}
	return partlyIf(len(unseen) > 0 || left || len(r.Missing) > 0 || !r.IsSeen())
}

// whySince joins what recordings have of hosts in the time before they were watched, so much of it: since
// when something is wrong they tell.
func (p *program) whySince(ctx context.Context, r *report.Report, file string, hosts []inventory.Host, back time.Duration, o reporting.Options) error {
	var sets []string
	for _, q := range whyQueries(nil) {
		if path, err := paths.Parse(q.Text); err == nil && !slices.Contains(sets, path.Object) {
			sets = append(sets, path.Object)
		}
	}
	shelf, parts, files := p.shelf(), map[string]joined.Part{}, []string(nil)
	for _, h := range hosts {
		o.Hosts = append(o.Hosts, h.Name)
		for _, part := range shelf.Parts(h.Identity, h.Name, sets, r.Begin.Add(-back), r.Begin.Add(-1)) {
			parts[part.File], files = part, append(files, part.File)
		}
	}
	if len(files) == 0 {
		return nil
	}
	open := o.Open
	o.Open = func(name string) (logs.Reader, error) {
		if part, ok := parts[name]; ok {
			return part.Open()
		}
		return open(name)
	}
	earlier, _, err := reporting.Report(ctx, append(files, file), o)
	if err == nil {
		r.Join(earlier)
	}
	return err
}

// checkLine is the first line of a plugin: how it stands, and what is gravest.
func checkLine(r *report.Report, unseen []string) string {
	worst, found := r.Worst()
	switch {
	case found && (worst > alert.Careful || len(unseen) == 0):
		v := r.Verdicts[0]
		return printable.Text(fmt.Sprintf("%s: %s: %s", pluginWords[worst], v.Host, v.Sentence))
	case len(unseen) > 0:
		return "UNKNOWN: " + printable.Text(unseen[0])
	case !r.IsKnown():
		return "UNKNOWN: " + r.Headline()
	}
	return "OK: " + r.Headline()
}

var pluginWords = [...]string{alert.Careful: "OK", alert.Warning: "WARNING", alert.Critical: "CRITICAL"}

// checkCode is the exit code of a plugin.
func checkCode(r *report.Report, unseen []string) error {
	worst, found := r.Worst()
	if found && worst > alert.Careful {
		return ended(int(worst))
	}
	return partlyIf(len(unseen) > 0 || !found && !r.IsKnown())
}

// whoCounters are what tells who did it, beside what rules judge.
var whoCounters = []string{
	`\Process(*)\% Processor Time`, `\Process(*)\ID Process`, `\Process(*)\Private Bytes`, `\Process(*)\IO Data Bytes/sec`,
	`\Process(*)\Handle Count`, `\Process Exits(*)\% Processor Time`, `\Process(*)\% Ended Children Time`, `\Process(*)\Thread Count`, `\Processor Information(*)\% Processor Time`, `\Processor Information(*)\% Steal`,
	`\Processor Limit\*`, `\Memory Use(*)\Working Set - Private`, `\Memory Limit\*`, `\System\Forks/sec`, `\System\Context Switches/sec`, `\Memory\Available MBytes`, `\Memory\Physical Bytes`, `\NUMA Node Memory(_Total)\Total MBytes`, `\PhysicalDisk(*)\Disk Transfers/sec`, `\PhysicalDisk(*)\Disk Bytes/sec`,
}

// watchedHosts are hosts that were watched, and the files of what they gave, which done removes; unseen are those of all that gave nothing, and why.
type watchedHosts struct {
	hosts         []inventory.Host
	files, unseen []string
	done          func()
}

// watchFor records what rules judge, and what tells who did it, for a while, with what hosts wrote down meanwhile and so long before.
func (p *program) watchFor(ctx context.Context, length, back time.Duration, rules []alert.Rule) (w watchedHosts, err error) {
	dir, remove, err := osfile.MakeTemp(os.TempDir(), "perfdeck-why-")
	if err != nil {
		return w, fmt.Errorf("why: %w", err)
	}
	w.done = remove
	defer func() {
		if err != nil {
			remove()
		}
	}()
	queries := whyQueries(rules)
	hosts, err := p.hostsOf(queries)
	if err != nil {
		return w, err
	}
	defer inventory.CloseAll(hosts)
	const every = time.Second
	// The first sample has no rates, and what is seen for so long was seen at both ends of it.
	samples := int64(length/every) + 2
	said := sampling.Said{Record: config.Record{File: filepath.Join(dir, "watched.db"), Interval: every, Samples: samples}, Sync: collector.SyncNever}
	o, err := said.Options()
	if err != nil {
		return w, err
	}
	o.Events, o.EventsBack = true, back
	report := p.reportOnce()
	o.Report = func(err error) {
		if !errors.Is(err, collector.ErrUnheard) { // few may read them
			report(err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inventory.Start(ctx, hosts...)
	line := output.NewLine(p.err, p.getenv("TERM") == "dumb")
	begun := time.Now()
	o.Go, o.Clock = p.guard.Go, p.runClock()
	ticking := make(chan struct{})
	p.guard.Go(func() {
		for session.Sleep(ctx, every/2) {
			line.Show(func() string {
				return fmt.Sprintf("watching for %s of %s", english.Age(time.Since(begun)), english.Span(length))
			})
		}
		close(ticking)
	})
	r, _, err := p.pour(ctx, hosts, queries, o, nil)
	cancel()
	<-ticking
	line.End()
	if err == nil && r.Status().Samples == 0 {
		noteFailed(r.Status(), p.tellError)
		err = errNoSample
	}
	if err != nil {
		return w, err
	}
	for _, h := range hosts {
		if state := h.Sampler.State(); state.LastAnswer.IsZero() {
			text := cmp.Or(state.Err, errNoSample).Error()
			w.unseen = append(w.unseen, h.Name+": "+strings.TrimPrefix(text, h.Name+": "))
		}
	}
	w.hosts, w.files = hosts, []string{r.Status().File}
	return w, nil
}

// whyQueries are the counters of rules and those of who did it, of hosts that have them.
func whyQueries(rules []alert.Rule) (out []inventory.Query) {
	texts := slices.Clone(whoCounters)
	for i := range rules {
		if r := &rules[i]; r.Kind == alert.Threshold && !r.Disabled {
			for _, path := range r.Paths() {
				texts = append(texts, path.String())
			}
		}
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		q := inventory.NewQuery(text, "")
		q.Optional = true
		out = append(out, q)
	}
	return out
}
