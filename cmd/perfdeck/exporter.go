package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/app/exporting"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/give/exporter"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// exporterFlags are the flags of exporter.
type exporterFlags struct {
	Listen     string   `flag:"listen" help:"address to listen on"`
	WebConfig  string   `flag:"web-config" help:"web configuration file: tls_server_config, basic_auth_users"`
	Allow      []string `flag:"allow" help:"host that /probe may name besides those of the config (repeatable)"`
	Expose     []string `flag:"expose" help:"counterset that /probe gives to whoever asks, without authentication (repeatable)"`
	packs      []string
	Sets       []string `flag:"counterset" help:"counterset of /metrics (repeatable)"`
	MaxScrapes int      `flag:"max-scrapes" help:"most scrapes that are answered at a time"`
}

func (p *program) exporterCommand() *cobra.Command {
	f := exporterFlags{Listen: "127.0.0.1:9799", MaxScrapes: 256}
	c := flagged(&cobra.Command{
		Use:   "exporter [PATH...]",
		Short: "Give counters of hosts to Prometheus and what speaks its protocols",
		Long: `exporter answers scrapes, without an agent on the hosts:

/metrics gives this computer, or the hosts that --host, --hosts-file and --group
name: what PATH, --counterset and --pack ask for, else System, Memory, Processor
Information, PhysicalDisk, LogicalDisk, Network Interface, TCPv4 and TCPv6.

/probe?target=HOST gives one host: the usual countersets, or those of counterset=,
path= and pack=, each as often as needed. HOST is one of the config, of --allow or of
/metrics. pack= takes the beginning of a name, too. It answers within the scrape's
time-out.

/sd lists those hosts for http_sd_configs, with their groups as the labels group (the
first) and __meta_perfdeck_groups.

A rate is over 15 seconds, or over --interval, and the same for all who ask until the next
are over; the first one is since the first reading. Values are cooked and in base units: seconds, bytes, ratio (1 is 100 %). With raw=1 they are raw, as counters that
end in _total, beside their clocks: perfdeck explain --promql PATH says how an engine cooks
them. Counters have windows_exporter's names where it has one for just that number, else
they are named perfdeck, counterset, counter, unit.

A host that gives nothing has perfdeck_host_up 0, and perfdeck_host_down_info says why.

On SIGHUP it reads the config again, with hosts and groups, and --hosts-file. --web-config
and its certificates are read at each connection.

Beyond this computer it listens only with TLS and authentication: --web-config FILE,
the web configuration file of Prometheus' exporters. Without authentication /probe
gives only the countersets that --expose names.`,
		Example: `  perfdeck exporter
  perfdeck exporter -H sql01 -H sql02 --pack sqlserver
  perfdeck exporter --listen :9799 --web-config web.yml --allow web01 --allow ssh://db02
  perfdeck exporter --listen :9799 --web-config /etc/perfdeck/web.yml --systemd > /etc/systemd/system/perfdeck-exporter.service
  curl 'http://127.0.0.1:9799/probe?target=sql01&counterset=Memory'`,
		ValidArgsFunction: p.completePaths,
	}, &f, p.export)
	addPackFlag(c, &f.packs, "starter pack whose counters /metrics gives")
	p.addUnitFlag(c, "counters for Prometheus", nil, lowPorts, "Files that --web-config names, beside it: LoadCredential=perfdeck.key:/etc/perfdeck/perfdeck.key and so on.")
	return c
}

// export serves until the context ends.
func (p *program) export(c *cobra.Command, args []string, f exporterFlags) error {
	ctx, s := c.Context(), p.serviceOf(c, hostKeys)
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	if f.MaxScrapes < 1 {
		return usage(fmt.Errorf("--max-scrapes %d: at least one is needed", f.MaxScrapes))
	}
	asked, err := exporting.Asked(f.Sets, args, f.packs)
	if err != nil {
		return err
	}
	var web *exporter.Web
	if f.WebConfig != "" {
		name, err := config.BelowHome(f.WebConfig)
		if err != nil {
			return err
		}
		s.reads("web-config", name)
		if web, err = exporter.OpenWeb(name, config.Obeyed, p.tellError); failure.Hint(err) != "" {
			return err
		} else if err != nil {
			return usage(err, "its format is that of Prometheus' exporter-toolkit, docs/web-configuration.md")
		}
	}
	options := func() (o exporter.Options, ways map[string]inventory.Reached, err error) {
		o = exporter.Options{
			Version: version(), Clock: p.runClock(), Asked: asked, Pack: rulepack.Paths, MaxScrapes: f.MaxScrapes,
			Unauthenticated: func() bool { return !web.Config().IsAuthenticated() }, Exposed: f.Expose,
		}
		if c.Flags().Changed("interval") {
			o.Every = settings.Interval
		}
		ways, err = exporting.Hosts(&o, p.known(), p.flags.Demo, p.flags.Hosts, f.Allow)
		return o, ways, err
	}
	o, ways, err := options()
	if err != nil {
		return err
	}
	defer p.life.Outlive()()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.Listen)
	if err != nil {
		return failure.WithHint(fmt.Errorf("exporter: %w", err), listenHint(err))
	}
	if err := exporter.CheckListener(l.Addr(), web.Config()); err != nil {
		_ = l.Close()
		return usage(fmt.Errorf("exporter: %w", err), "--web-config names a file with tls_server_config and basic_auth_users, or --listen 127.0.0.1:9799")
	}
	scheme := "http"
	if web.Config().HasTLS() {
		scheme = "https"
	}
	of := exporter.New(ctx, o)
	defer s.begun(fmt.Sprintf("%s on %s://%s/metrics", strings.Join(o.Metrics, ", "), scheme, l.Addr()))()
	defer s.onHangup(ctx, func(config.Settings) (string, error) {
		o, now, err := options()
		if err == nil {
			err = web.Reload()
		}
		if err != nil {
			return "", err
		}
		if !p.flags.Demo { // whose hosts are open once
			of.Set(o, func(name string) bool { return ways[name].Is(now[name]) })
		}
		ways = now
		return english.Count(len(o.Metrics), "host", "hosts") + " of /metrics, " + english.Count(len(o.Targets), "host", "hosts") + " of /probe", nil
	})()
	return exporter.Serve(ctx, l, of, web, p.guard.Go)
}

// lowPorts is what a unit says of them.
const lowPorts = "A port below 1024: AmbientCapabilities=CAP_NET_BIND_SERVICE, and CapabilityBoundingSet= likewise."

// listenHint says what to do when an address cannot be listened on.
func listenHint(err error) string {
	_, bad := errors.AsType[*net.AddrError](err)
	if _, unknown := errors.AsType[*net.DNSError](err); bad || unknown {
		return "write --listen HOST:PORT, as 127.0.0.1:9799"
	}
	return "is another one running? choose a port with --listen"
}
