package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/app/inventory"
	"perfdeck/session/files/spool"
	"perfdeck/session/hosts/logon"
	"perfdeck/themes"
)

// flags are the flags that every command has, but for those that stand for
// settings of the config: see settingFlags.
type flags struct {
	Hosts        []string `flag:"host" short:"H" help:"host: its name in the config, NAME of a Windows host, ssh://NAME, tcp://NAME:PORT, or local (repeatable)"`
	HostFiles    []string `flag:"hosts-file" help:"file of hosts, one a line, # for comments; - is the standard input (repeatable)"`
	Groups       []string `flag:"group" help:"hosts of a group of the config (repeatable)"`
	Demo         bool     `flag:"demo" help:"watch invented hosts instead of real ones"`
	Config       string   `flag:"config" help:"config file (default $XDG_CONFIG_HOME/perfdeck/config.toml)"`
	User         string   `flag:"user" short:"u" help:"account on hosts that have none in the config: [DOMAIN\\]NAME"`
	passwordFile string
	kerberos     logon.Tickets
	SMBEncrypt   bool `flag:"smb-encrypt" help:"refuse Windows hosts whose SMB cannot encrypt; the counters are encrypted in any case"`
	maxRate      rateFlag
	Deploy       bool   `flag:"deploy" help:"copy this perfdeck without asking to hosts of ssh that lack it, to ~/.cache/perfdeck"`
	DeployFrom   string `flag:"deploy-from" help:"folder with the release's files for other systems, as perfdeck-linux-arm64"`
}

// execute parses the arguments and runs the command they name.
func (p *program) execute(ctx context.Context, args []string) int {
	root := p.rootCommand()
	p.args = args
	root.SetArgs(args)
	root.SetIn(p.in)
	p.unsaid = nil
	root.SetOut(byTheWay{p})
	root.SetErr(p.err)
	if err := foreign(root, args); err != nil {
		return p.report(err)
	}
	c, err := root.ExecuteContextC(ctx)
	p.command = c
	return p.report(cmp.Or(err, p.unsaid))
}

// rootCommand builds the command tree.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "perfdeck [PATH... | FILE...]",
		Short: "perfmon for the terminal",
		Long: `perfdeck shows performance counters live, of this computer unless hosts are named.
Each PATH is a counter path, as '\Processor Information(_Total)\% Processor Time'.
Each FILE is a recording, which is played as by replay: .blg, PDH text, SQLite, JSON
lines, or a .zip of them. Write ./NAME for a file that is called as a command is.

A host is named by a [[host]] of the config, or by its address:

  NAME, NAME:PORT, [ADDRESS]:PORT   a Windows host
  ssh://[USER@]NAME[:PORT]          a host that ssh reaches; nothing has to be there
  tcp://NAME:PORT                   a host that runs perfdeck serve
  prom+https://ENGINE[#NAME]        the hosts of a Prometheus, or one of them;
                                    with @MOMENT, as @-1h, their past is played
  local                             this computer, beside other hosts

Where none is named, the screens show this computer and the hosts of the config with
"watch = true". Accounts and passwords of hosts are those of the config; for the rest
there are --user and --password-file, PERFDECK_PASSWORD or a prompt, one for each
account.`,
		Example: `  perfdeck
  perfdeck '\Memory\Available MBytes' '\Process(*)\% Processor Time'
  perfdeck --host local --host web01 --host tcp://srv1:14500 --user ana
  perfdeck night.blg
  perfdeck --hosts-file servers.txt --group fra --user 'CORP\ana'
  perfdeck --demo`,
		Args:                       cobra.ArbitraryArgs,
		ValidArgsFunction:          p.completePaths,
		Version:                    version(),
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2, // letters: see misspelled
		SilenceUsage:               true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			p.command = c
			p.tellZone(c)
			return p.gatherHosts()
		},
		RunE: p.showWhatIsNamed,
	}
	root.SetHelpFunc(p.help)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(err, "see "+c.CommandPath()+" --help")
	})
	p.addHostFlags(root.PersistentFlags())
	addSettingFlags(root.PersistentFlags(), false)
	p.addAlertFlag(root, new([]string))
	p.addScreenFlags(root)
	root.SetVersionTemplate("perfdeck {{.Version}}\n")
	root.AddCommand(p.commands()...)
	return root
}

// addHostFlags are the flags that say which hosts, and how they are logged on to.
func (p *program) addHostFlags(f *pflag.FlagSet) {
	addFlags(f, &p.flags)
	f.StringVar(&p.flags.passwordFile, "password-file", "", "file with its password, mode 0600; else "+passwordVariable+" or a prompt")
	k := &p.flags.kerberos
	k.MinIterations, k.MaxSkew = 4096, 24*time.Hour
	addFlags(f, k)
	f.Var(&p.flags.maxRate, "max-rate", "most bytes a second from each host that has no max_rate in the config, as 32KB (default: no limit)")
}

// addScreenFlags are those of the screens alone, and what completes flags.
func (p *program) addScreenFlags(root *cobra.Command) {
	root.Flags().String("deck", "", "deck to begin with, by its name")
	root.Flags().StringArray("manifest", nil, "counter manifest to browse, though no host has it (repeatable)")
	root.Flags().Bool("plain", false, "print lines instead of screens, for screen readers: what changed, each 10 s")
	addSettingFlags(root.Flags(), true)
	for flag, values := range map[string][]string{
		"theme":    themes.Names(userThemes()),
		"renderer": {"own", "bubbletea"},
		"host":     {inventory.Local},
	} {
		offer(root, flag, values)
	}
	_ = root.RegisterFlagCompletionFunc("group", p.completeGroups)
}

// commands are all of them. A new one is a row here.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		p.listCommand(),
		p.sampleCommand(),
		p.recordCommand(),
		p.noteCommand(),
		p.replayCommand(),
		p.bundleCommand(),
		p.relogCommand(),
		p.compareCommand(),
		p.reportCommand(),
		p.whyCommand(),
		p.collectCommand(),
		p.watchCommand(),
		p.alertsCommand(),
		p.configCommand(),
		p.explainCommand(),
		p.pathCommand(),
		p.cookCommand(),
		p.manifestCommand(),
		p.themesCommand(),
		p.keysCommand(),
		p.completionCommand(),
		p.manCommand(),
		p.serveCommand(),
		p.exporterCommand(),
		p.pushCommand(),
		p.hostsCommand(),
		p.doctorCommand(),
		p.windowsCommand(),
		p.versionCommand(),
	}
}

// unknownValue is a wrong value of a flag.
func unknownValue(flag, value, known string) error {
	return usage(fmt.Errorf("--%s %q: no such value", flag, value), "known: "+known)
}

// showWhatIsNamed shows recordings, or counters of hosts, on the screens or as lines.
func (p *program) showWhatIsNamed(c *cobra.Command, args []string) error {
	past, err := p.pastHosts()
	if err != nil {
		return err
	}
	recordings, err := spool.Recordings(slices.Concat(args, past), p.isSpan)
	if err != nil {
		return err
	}
	if len(recordings) > 0 {
		return p.showRecordings(c, recordings)
	}
	if err := checkWords(c, args); err != nil {
		return err
	}
	if plain, _ := c.Flags().GetBool("plain"); plain {
		if c.Flags().Changed("manifest") {
			return usage(errors.New("--plain with --manifest: a manifest has no values to print"), "perfdeck list --manifest FILE lists its counters")
		}
		return p.plain(c, args)
	}
	return p.showScreens(c, args)
}

var errPlainFiles = errors.New("--plain prints live counters, no recordings")

// showRecordings shows recordings that were named without a command.
func (p *program) showRecordings(c *cobra.Command, files []string) error {
	if plain, _ := c.Flags().GetBool("plain"); plain {
		return usage(errPlainFiles, "perfdeck relog --summary sums a recording up")
	}
	rules, err := c.Flags().GetStringArray("alert")
	if err != nil {
		return err
	}
	return p.replay(c, files, replayFlags{align: alignments[0].name, rules: rules})
}
