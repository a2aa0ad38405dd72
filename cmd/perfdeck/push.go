package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/engine/push"
	"perfdeck/session/engine/push/job"
	"perfdeck/session/inventory"
	"perfdeck/session/system/output"
)

// pushFlags are the flags of push.
type pushFlags struct {
	to           string
	files        []string // of counter paths
	sets, packs  []string
	raw          bool
	labels       []string
	replica      string
	shard        string
	queue        string
	queueSize    string
	queueAge     string
	rate         int
	tokenFile    string
	user         string
	passwordFile string
	tenant       string
	ca           string
	cert, key    string
}

func (p *program) pushCommand() *cobra.Command {
	var f pushFlags
	c := &cobra.Command{
		Use:   "push --to URL [PATH...]",
		Short: "Push counters of hosts to an engine by Prometheus remote write",
		Long: `push sends samples of counters to an engine that takes Prometheus remote write 1.0, as
Prometheus (--web.enable-remote-write-receiver), VictoriaMetrics, Mimir and Thanos,
until it is stopped. --to is its address, or the name of a [[push]] of the config. What
is sent is named as by exporter: PATH, --counterset and --pack, else the usual
countersets, cooked and in base units, or with --raw as counters that end in _total.

Samples wait in a queue on disk until the engine took them. Neither the end of this
program, however it comes, nor an engine that is away for hours loses any: what waits
is sent in order, while new samples go on to come in. When more waits than --queue-size
or --queue-age allow the oldest goes, and that is told. What the engine refuses for good
(answers 4xx but 429) is dropped, counted and told in its own words; of a request that
is refused for some of its samples the others are sent again without them.

When a host, an instance or a counter goes, or push ends, its series end.

--shard 3/8 takes the third of eight parts of the hosts, by their names: each host is of
one part, whichever hosts there are besides. A pair that pushes the same hosts needs
--replica, a label that engines tell the two by.

SIGINT and SIGTERM end it. The exit code is 3 when samples were dropped or refused.`,
		Example: `  perfdeck push --to http://127.0.0.1:9090/api/v1/write
  perfdeck push --to http://127.0.0.1:8428 -H sql01 -H sql02 --pack sqlserver -i 15
  perfdeck push --to https://mimir.example.com/api/v1/push --tenant ops --token-file push.token --hosts-file all.txt --shard 3/8
  perfdeck push --to prometheus --raw --counterset Memory`,
		ValidArgsFunction: p.completePaths,
		RunE:              func(c *cobra.Command, args []string) error { return p.push(c, args, f) },
	}
	l := c.Flags()
	l.StringVar(&f.to, "to", "", "address of the engine, or the name of a [[push]] of the config")
	l.StringArrayVarP(&f.files, "counters-file", "c", nil, "file of counter paths, one a line; - is standard input (repeatable)")
	l.StringArrayVar(&f.sets, "counterset", nil, "whole counterset (repeatable)")
	l.StringArrayVar(&f.packs, "pack", nil, "starter pack whose counters are pushed (repeatable)")
	l.BoolVar(&f.raw, "raw", false, "push raw values, which explain --promql says how to cook")
	l.StringArrayVar(&f.labels, "label", nil, "label of every series, as site=fra (repeatable)")
	l.StringVar(&f.replica, "replica", "", "the label replica, for a pair that pushes the same hosts")
	addShardFlag(c, &f.shard)
	l.StringVar(&f.queue, "queue", "", "folder of what waits (default below $XDG_STATE_HOME/perfdeck/push)")
	l.StringVar(&f.queueSize, "queue-size", "1GB", "most that waits: beyond it the oldest goes")
	l.StringVar(&f.queueAge, "queue-age", "24h", "longest that anything waits")
	l.IntVar(&f.rate, "rate", 0, "most samples a second that are sent while some wait (0: four times what comes in)")
	l.StringVar(&f.tokenFile, "token-file", "", "file with a bearer token, mode 0600")
	l.StringVar(&f.user, "to-user", "", "account of basic authentication")
	l.StringVar(&f.passwordFile, "to-password-file", "", "file with its password, mode 0600; else a prompt")
	l.StringVar(&f.tenant, "tenant", "", "tenant of Mimir: X-Scope-OrgID")
	l.StringVar(&f.ca, "ca-file", "", "certificates that are trusted instead of the system's")
	l.StringVar(&f.cert, "cert-file", "", "client certificate")
	l.StringVar(&f.key, "key-file", "", "its key, mode 0600")
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	_ = c.RegisterFlagCompletionFunc("to", p.completePushes)
	return c
}

// completePushes are the pushes of the config, for the shell.
func (p *program) completePushes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if err := p.loadConfig(); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := make([]string, len(p.config.Pushes))
	for i, one := range p.config.Pushes {
		names[i] = one.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// push runs until the context ends.
func (p *program) push(c *cobra.Command, args []string, f pushFlags) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	named, err := p.pushOf(c, &f)
	if err != nil {
		return err
	}
	if len(args) > 0 || len(f.files) > 0 || len(f.sets) > 0 || len(f.packs) > 0 {
		named.Paths, named.Sets, named.Packs = args, f.sets, f.packs
	}
	queries, err := p.pushedQueries(named, f.files)
	if err != nil {
		return err
	}
	shard, err := shardOf(f.shard)
	if err != nil {
		return err
	}
	if named.Interval <= 0 || c.Flags().Changed("interval") {
		named.Interval = settings.Interval
	}
	o, err := p.pushes().Make(named, f.queue, shard)
	if err != nil {
		return err
	}
	if len(p.flags.hosts) == 0 && !p.flags.demo {
		p.flags.hosts = slices.Clone(named.Hosts)
	}
	hosts, err := p.shardHosts(shard)
	if err != nil {
		return err
	}
	of := ""
	if !shard.IsWhole() {
		of = " of shard " + shard.String()
	}
	return p.pushHosts(c.Context(), o, hosts, of, queries)
}

// pushOf is the [[push]] that --to names, or one of its address, with what the other flags
// say.
func (p *program) pushOf(c *cobra.Command, f *pushFlags) (named config.Push, err error) {
	if f.to == "" {
		return named, usage(session.WithHint(errors.New("push: no engine is named"), "--to http://127.0.0.1:9090/api/v1/write, or --to NAME of a [[push]] of the config"))
	}
	named, err = p.pushes().Named(f.to)
	if err != nil {
		return named, err
	}
	l := c.Flags()
	for _, t := range []struct {
		flag, text string
		to         *string
	}{
		{"replica", f.replica, &named.Replica}, {"tenant", f.tenant, &named.Tenant}, {"to-user", f.user, &named.User},
		{"ca-file", f.ca, &named.CAFile}, {"cert-file", f.cert, &named.CertFile}, {"key-file", f.key, &named.KeyFile},
	} {
		if l.Changed(t.flag) {
			*t.to = t.text
		}
	}
	named.Raw = named.Raw || f.raw
	if l.Changed("queue-size") || named.QueueSize == 0 {
		if named.QueueSize, err = parseSize("queue-size", f.queueSize); err != nil {
			return named, err
		}
		if named.QueueSize < push.LeastQueue {
			return named, usage(fmt.Errorf("--queue-size %s: at least %s are needed", f.queueSize, session.SizeText(push.LeastQueue)))
		}
	}
	if l.Changed("queue-age") || named.QueueAge == 0 {
		if named.QueueAge, err = seconds("queue-age", f.queueAge); err != nil {
			return named, err
		}
	}
	if l.Changed("rate") {
		named.Rate = f.rate
	}
	if named.Rate < 0 {
		return named, usage(fmt.Errorf("--rate %d: not a number of samples", named.Rate))
	}
	if f.tokenFile != "" {
		named.Token, named.Password, named.User = config.PasswordRef{File: f.tokenFile}, config.PasswordRef{}, ""
	}
	if f.passwordFile != "" {
		named.Password, named.Token = config.PasswordRef{File: f.passwordFile}, config.PasswordRef{}
	}
	switch {
	case f.tokenFile != "" && (f.user != "" || f.passwordFile != ""):
		return named, usage(errors.New("push: --token-file and an account exclude each other"))
	case named.User == "" && f.passwordFile != "":
		return named, usage(errors.New("push: --to-password-file without --to-user"))
	}
	return named, p.addLabels(&named, f.labels)
}

func (p *program) addLabels(named *config.Push, texts []string) error {
	labels := map[string]string{}
	maps.Copy(labels, named.Labels)
	given := map[string]bool{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return unknownValue("label", text, "NAME=VALUE, as site=fra")
		}
		if given[name] {
			return usage(&push.LabelError{Name: name, Why: "it is given twice"})
		}
		given[name] = true
		labels[name] = value
	}
	named.Labels = labels
	return nil
}

// pushedQueries are what a push asks for, with the paths of files.
func (p *program) pushedQueries(named config.Push, files []string) ([]inventory.Query, error) {
	more, err := p.readCounterFiles(files)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 && len(more)+len(named.Paths)+len(named.Packs) == 0 {
		return nil, noPaths()
	}
	return job.Queries(named, more...)
}

// pushes makes pushes of the config and of flags.
func (p *program) pushes() *job.Maker {
	return job.New(job.Options{
		Config: p.config, Link: p.engineLink, Clock: p.newClock, Go: p.guard.Go,
		Report: func(err error) { p.report(err) }, Tell: p.tell,
	})
}

// newPushDesk is a desk of pushes beside something else that samples hosts: watch, a recording.
func (p *program) newPushDesk(report func(error)) *push.Desk {
	return push.NewDesk(push.DeskOptions{Report: report, Tell: p.tell, Hold: p.life.Keep, Patience: job.Closing})
}

// pushBeside pushes what is recorded of hosts too: to the pushes or addresses of --push.
// end ends it.
func (p *program) pushBeside(to []string, hosts []inventory.Host, queries []inventory.Query, every time.Duration, report func(error)) (end func(), err error) {
	d := p.newPushDesk(report)
	for _, h := range hosts {
		d.Add(job.Host(h))
	}
	if len(to) == 0 {
		return d.Close, nil
	}
	if err := p.pushes().Begin(d, to, queries, every); err != nil {
		d.Close()
		return nil, err
	}
	return d.Close, nil
}

// tell tells the user in words how things go.
func (p *program) tell(text string) { fmt.Fprintf(p.err, "perfdeck: %s\n", session.Printable(text)) }

// shardHosts opens the hosts of a shard; none is no error.
func (p *program) shardHosts(shard push.Shard) ([]inventory.Host, error) {
	mode := inventory.Mode{Kept: true}
	if p.flags.demo {
		hosts, err := p.hosts(mode)
		out := slices.DeleteFunc(slices.Clone(hosts), func(h inventory.Host) bool { return !shard.Has(h.Name) })
		return out, err
	}
	if len(p.flags.hosts) == 0 {
		p.flags.hosts = []string{inventory.Local}
	}
	known, err := p.inventory()
	if err != nil {
		return nil, err
	}
	names, err := known.InPart(p.flags.hosts, shard)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	p.flags.hosts = names
	return known.Open(names, mode)
}

// addShardFlag adds the flag that takes a part of the hosts.
func addShardFlag(c *cobra.Command, text *string) {
	c.Flags().StringVar(text, "shard", "", "part of the hosts, as 3/8")
}

// shardOf reads that flag.
func shardOf(text string) (shard push.Shard, err error) {
	if text == "" {
		return shard, nil
	}
	shard, ok := push.ParseShard(text)
	if !ok {
		return shard, unknownValue("shard", text, fmt.Sprintf("1/1 to %d/%[1]d; 3/8 is the third of eight", push.MostShards))
	}
	return shard, nil
}

// pushHosts pushes what hosts give until the context ends, and tells how it goes.
func (p *program) pushHosts(ctx context.Context, o push.Options, hosts []inventory.Host, of string, queries []inventory.Query) error {
	line := output.NewLine(p.err, p.getenv("TERM") == "dumb")
	report, tell := o.Report, o.Tell
	o.Report = func(err error) { line.Around(func() { report(err) }) }
	o.Tell = func(text string) { line.Around(func() { tell(text) }) }
	address := session.ShownAddress(o.Engine.URL)
	engine := address
	if u, err := url.Parse(address); err == nil {
		engine = u.Host
	}
	release := func() {}
	defer func() { release() }()
	s, err := job.Run(ctx, o, hosts, queries, job.Watched{
		Begun: func(s push.Status) {
			tell(fmt.Sprintf("pushing %s%s to %s each %v; queue in %s", count(len(hosts), "host", "hosts"), of, address, o.Every, o.Queue))
			if n := s.Queue.Samples; n > 0 {
				tell(count(n, "sample", "samples") + " from before wait there and are sent first")
			}
			if len(hosts) == 0 {
				tell("none of the hosts is of this shard: only what waits is sent")
			}
		},
		Goes:  func(s push.Status) { line.Show(func() string { return pushLine(engine, s) }) },
		Every: output.LineEvery,
		Ends:  func() { release = p.life.Keep() },
	})
	line.End()
	if ctx.Err() == nil {
		return err // it could not begin
	}
	tell("pushed " + count(s.Sent, "sample", "samples") + troubles(s))
	if s.Queue.Samples > 0 {
		tell(count(s.Queue.Samples, "sample", "samples") + " wait in " + o.Queue + ": the next push sends them")
	}
	if err != nil {
		return err
	}
	if s.Refused+s.Lost+s.Queue.Unwritten+s.Queue.Full+s.Queue.Old+s.Queue.Damaged > 0 {
		return &exitError{code: exitPartly}
	}
	return nil
}

// pushLine is how pushing goes: what matters most first, for narrow terminals.
func pushLine(engine string, s push.Status) string {
	text := engine + ": "
	if s.Err != nil {
		text += "away for " + time.Since(s.Since).Round(time.Second).String() + ", "
	}
	text += grouped(s.Sent) + " sent"
	if s.Queue.Samples > 0 {
		text += fmt.Sprintf(", %s wait (%s)", grouped(s.Queue.Samples), session.SizeText(s.Queue.Bytes))
	}
	return text + fmt.Sprintf("%s, %s, %d series", troubles(s), count(s.Hosts, "host", "hosts"), s.Series)
}

// troubles are what was not sent and will not be.
func troubles(s push.Status) string {
	var b strings.Builder
	for _, t := range []struct {
		n   int64
		how string
	}{
		{s.Refused, "refused"}, {s.Queue.Full, "dropped: the queue was full"}, {s.Queue.Old, "dropped: they waited too long"},
		{s.Lost, "dropped: the disk was too slow"}, {s.Queue.Unwritten, "lost: the disk took none"},
	} {
		if t.n > 0 {
			fmt.Fprintf(&b, ", %s %s", grouped(t.n), t.how)
		}
	}
	if s.Queue.Damaged > 0 {
		fmt.Fprintf(&b, ", %s of the queue could not be read", session.SizeText(s.Queue.Damaged))
	}
	return b.String()
}

// grouped is a number with its thousands apart.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
