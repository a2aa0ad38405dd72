package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pushing"
	"perfdeck/session/config"
	"perfdeck/session/give/push"
	"perfdeck/session/text/english"
)

// pushFlags are the flags of push. Those that are times, sizes and parts are texts until read reads
// them.
type pushFlags struct {
	said      pushing.Said
	Files     []string `flag:"counters-file" short:"c" help:"file of counter paths, one a line; - is standard input (repeatable)"`
	shard     string
	QueueSize string `flag:"queue-size" help:"most that waits: beyond it the oldest goes"`
	QueueAge  string `flag:"queue-age" help:"longest that anything waits"`
	metrics   string
}

func (p *program) pushCommand() *cobra.Command {
	f := pushFlags{QueueSize: "1GB", QueueAge: "24h"}
	c := flagged(&cobra.Command{
		Use:   "push --to URL [PATH...]",
		Short: "Push counters of hosts to an engine by Prometheus remote write",
		Long: `push sends samples of counters to an engine that takes Prometheus remote write 1.0, as
Prometheus (--web.enable-remote-write-receiver), VictoriaMetrics, Mimir and Thanos,
until it is stopped. --to is its address, or the name of a [[push]] of the config. What
is sent is named as by exporter: PATH, --counterset and --pack, else the usual
countersets, cooked and in base units, or with --raw as counters that end in _total.

Samples wait in a queue on disk until the engine took them. None is lost when this
program ends, however it ends, or when an engine is away for hours: what waits is sent
in order, while new samples come in. When more waits than --queue-size or --queue-age
allow the oldest goes, and that is told. What the engine refuses for good (answers 4xx
but 429) is dropped, counted and told in its own words; of a request that is refused for
some of its samples the others are sent again without them.

When a host, an instance or a counter goes, or push ends, its series end.

--shard 3/8 takes the third of eight parts of the hosts, by their names: a host stays in
its part, whichever other hosts there are. A pair that pushes the same hosts needs
--replica, a label that engines tell the two by.

On SIGHUP it reads the config again, with hosts, groups and the [[push]] of its name.
SIGINT and SIGTERM end it. The exit code is 3 when samples were dropped or refused.`,
		Example: `  perfdeck push --to http://127.0.0.1:9090/api/v1/write
  perfdeck push --to http://127.0.0.1:8428 -H sql01 -H sql02 --pack sqlserver -i 15
  perfdeck push --to https://mimir.example.com/api/v1/push --tenant ops --token-file push.token --hosts-file all.txt --shard 3/8
  perfdeck push --to prometheus --raw --counterset Memory
  perfdeck push --to prometheus --systemd > /etc/systemd/system/perfdeck-push.service`,
		ValidArgsFunction: p.completePaths,
	}, &f, p.push)
	l := c.Flags()
	addFlags(l, &f.said)
	l.StringArrayVar(&f.said.Sets, "counterset", nil, "whole counterset (repeatable)")
	addPackFlag(c, &f.said.Packs, "starter pack whose counters are pushed")
	addShardFlag(c, &f.shard)
	addMetricsFlag(c, &f.metrics)
	_ = c.RegisterFlagCompletionFunc("to", p.completePushes)
	p.addUnitFlag(c, "counters pushed by remote write", nil)
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
	s := p.serviceOf(c, pushKeys)
	if !strings.Contains(f.said.To, "://") { // an address may have secrets
		s.named.To = f.said.To
	}
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	said := &f.said
	said.Given = c.Flags().Changed
	said.Paths, said.Counters = args, len(args)+len(f.Files)+len(said.Sets)+len(said.Packs) > 0
	var once session.Late[[]inventory.Query] // one may be the standard input
	said.More = func() ([]inventory.Query, error) {
		more, err := once.Get(func() ([]inventory.Query, error) { return p.readCounterFiles(f.Files) })
		if err == nil && len(f.Files) > 0 && len(more)+len(args)+len(said.Packs) == 0 {
			err = noPaths()
		}
		return more, err
	}
	if err := f.read(); err != nil {
		return err
	}
	settle := func(settings config.Settings) (*pushing.Job, []inventory.Host, error) {
		said.Interval = settings.Interval
		j, err := p.pushes(p.tellError).Settle(*said)
		if err != nil {
			return nil, nil, err
		}
		hosts, err := p.pushedHosts(j.Hosts, said.Shard)
		return &j, hosts, err
	}
	j, hosts, err := settle(settings)
	if err != nil {
		return err
	}
	defer p.life.Outlive()()
	return s.pushHosts(c.Context(), f.metrics, j, hosts, said.Shard, settle)
}

// read reads what the flags say in texts.
func (f *pushFlags) read() (err error) {
	s := &f.said
	if s.Given("queue-size") {
		if s.QueueSize, err = parseSize("queue-size", f.QueueSize); err != nil {
			return err
		}
		if s.QueueSize < push.LeastQueue {
			return usage(fmt.Errorf("--queue-size %s: at least %s are needed", f.QueueSize, english.Size(push.LeastQueue)))
		}
	}
	if s.Given("queue-age") {
		if s.QueueAge, err = seconds("queue-age", f.QueueAge); err != nil {
			return err
		}
	}
	if s.Rate < 0 {
		return usage(fmt.Errorf("--rate %d: not a number of samples", s.Rate))
	}
	s.Shard, err = shardOf(f.shard)
	return err
}

// pushes makes pushes of the config and of flags. report is told what goes wrong.
func (p *program) pushes(report func(error)) *pushing.Maker {
	return &pushing.Maker{
		Config: p.config, Link: p.engineLink, Clock: p.runClock, Go: p.guard.Go, Report: report, Tell: p.tell, Hold: p.life.Keep,
	}
}

// pushedHosts opens those of the flags, else those of the config, that are of a shard; none is no
// error.
func (p *program) pushedHosts(ofConfig []string, shard push.Shard) ([]inventory.Host, error) {
	if len(p.flags.Hosts) == 0 && !p.flags.Demo {
		p.flags.Hosts = ofConfig
	}
	known := p.known()
	var err error
	if p.flags.Hosts, err = known.InPart(p.flags.Hosts, shard); err != nil || len(p.flags.Hosts) == 0 {
		return nil, err
	}
	return known.Open(p.flags.Hosts, inventory.Mode{Kept: true})
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
