package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/field"
)

func (p *program) collectCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "collect",
		Short: "Data collector sets, as perfmon and logman have them",
		Long: `collect keeps data collector sets: a template of perfmon, or what logman exported, is
imported, checked, run and exported again. A set has collectors of counters and of
alerts, a schedule, segments and limits; its files go to a folder of its own below the
state folder, or where --root says. Only computers that the config names are asked, and
only programs of its [tasks] are run, by the name that a set's Task gives.

With -H the sets are those of a Windows host, as with logman -s: they are kept and run
there. Their names are Service\X, System\X, Session\X and Autosession\X; X alone is of
Service. list, show, start and stop take several hosts, run and report none.`,
	}, "subcommand", "there are list, show, check, import, export, create, update, delete, start, stop, run, report and fetch",
		p.collectListCommand(), p.collectShowCommand(), p.collectCheckCommand(), p.collectImportCommand(), p.collectExportCommand(),
		p.collectCreateCommand(), p.collectUpdateCommand(), p.collectDeleteCommand(),
		p.collectStartCommand(), p.collectStopCommand(), p.collectRunCommand(), p.collectReportCommand(), p.collectFetchCommand(),
	)
}

// sets are the data collector sets of the user. Those that it starts get the flags that
// open hosts.
func (p *program) sets(hostFlags ...string) *sets.Sets {
	recordings := func() (string, error) {
		dir, err := p.stateDir()
		return collector.RecordingsDir(dir), err
	}
	return sets.New(sets.Options{
		StateDir: p.stateDir, Clock: p.runClock(), Go: p.guard.Go, Recordings: recordings,
		Place: collectorset.Place{Watched: func(computer string) bool { return inventory.IsKnown(computer, p.current.Load()) }, Task: func(name string) bool { _, ok := p.taskOf(name); return ok }, Lacks: p.lacks()},
		Self:  p.ownCommand, HostFlags: hostFlags,
	})
}

// taskOf is the [tasks] of the config that has a name.
func (p *program) taskOf(name string) (config.Task, bool) {
	file := p.current.Load()
	if file == nil || name == "" {
		return config.Task{}, false
	}
	t, ok := file.Alerts.Tasks[name]
	return t, ok
}

// ownPatience is how long this computer may take to tell what it has.
const ownPatience = 5 * time.Second

// lacks tells, of paths that mean this computer, what it has nothing of.
func (p *program) lacks() func(paths.Path) error {
	var known session.Late[*session.Catalogue]
	return func(path paths.Path) error {
		isOwn := path.Computer == "" || inventory.IsLocal(path.Computer)
		if !isOwn || p.flags.Demo {
			return nil
		}
		own, err := known.Get(func() (*session.Catalogue, error) { return p.ownCatalogue(), nil })
		if own != nil {
			_, err = own.Resolve(path.String(), paths.Options{})
		}
		return err
	}
}

// ownCatalogue is what this computer has; nil: it does not tell.
func (p *program) ownCatalogue() *session.Catalogue {
	known, err := p.inventory()
	if err != nil {
		return nil
	}
	hosts, err := known.Open([]string{inventory.Local}, inventory.Mode{})
	defer inventory.CloseAll(hosts)
	if err != nil || len(hosts) == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(p.context(), ownPatience)
	defer stop()
	cat, err := hosts[0].Source.Catalogue(ctx)
	if err != nil {
		return nil
	}
	return cat
}

// completeSets completes the names of sets.
func (p *program) completeSets(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	if hosts, err := p.setHosts(); err != nil || len(hosts) > 0 {
		return p.completeSetsOf(c, hosts)
	}
	names, err := p.sets().Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (p *program) collectDeleteCommand() *cobra.Command {
	var withFiles bool
	c := &cobra.Command{
		Use: "delete NAME", Short: "Forget a set",
		Long: `delete removes a set that does not run. The files that it collected stay, unless --files
is given: then the files that its runs wrote go first, and the folders that they made, if
these are empty then. A file that was changed since stays. With -H the set of a host is
removed there; what it collected stays.`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		RunE: func(c *cobra.Command, args []string) error {
			host, err := p.setHost(c)
			if err == nil && host == "" {
				err = p.sets().Delete(args[0], withFiles)
			} else if err == nil {
				err = notOfHosts(c, "files", "what a set collected on a host stays there")
				if err == nil {
					err = p.hostSets().Delete(c.Context(), host, args[0])
				}
			}
			if _, only := errors.AsType[*runner.LeftError](err); only {
				p.report(err) // the set is gone
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&withFiles, "files", false, "remove what it collected, too")
	return c
}

func (p *program) collectStopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop NAME", Short: "End a set that runs",
		Long: `stop ends the run of a set, wherever it was started. Its files are complete when stop
returns. With -H it is one of hosts: their data managers may take minutes, and the set
goes on stopping there when stop is interrupted.`,
		Args: exactly("name of the set"), ValidArgsFunction: p.completeSets,
		PreRunE: p.ofSets(true, ownSets),
		RunE: func(c *cobra.Command, args []string) error {
			if hosts, err := p.setHosts(); err != nil {
				return err
			} else if len(hosts) > 0 {
				stopped, err := p.hostSets().Stop(c.Context(), hosts, args[0])
				return p.runOfHosts("stopped", stopped, err)
			}
			return p.visit(true, func(string) error { return p.sets().Stop(p.context(), args[0]) })
		},
	}
}

// mostSetBytes bounds the file of a set.
const mostSetBytes = 16 << 20

// readSet reads a set from a file, or from standard input for -.
func (p *program) readSet(file string) (*sets.Set, error) {
	data, err := p.readInput(file, mostSetBytes)
	if err != nil {
		return nil, fmt.Errorf("read the set: %w", err)
	}
	return p.sets().Decode(file, data)
}

// namedSet is a set of the state folder.
func (p *program) namedSet(name string) (set *sets.Set, err error) {
	err = p.visit(false, func(string) (err error) {
		if set, err = p.sets().Read(name); err == nil {
			set.Root = whole(set.Root)
		}
		return err
	})
	return set, err
}

// setOf is a set that is kept here, or that of a file where no set has that name.
func (p *program) setOf(arg string) (*sets.Set, error) {
	set, err := p.namedSet(arg)
	if err == nil || !errors.Is(err, store.ErrNotFound) {
		return set, err
	}
	if _, gone := os.Stat(arg); gone != nil && arg != stdinName {
		return nil, err
	}
	return p.readSet(arg)
}

func (p *program) collectCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check NAME|FILE...",
		Short: "Tell what is wrong with sets",
		Long: `check tells what is wrong with data collector sets: what Windows would refuse or ignore,
with its codes, and what a set would not do here. With -H a host says it of a set of its
own, or of a file; nothing is changed there.

The exit code is 1 when a set cannot be run as it is, 3 when a part of it cannot.`,
		Args:    needs("set or file"),
		PreRunE: p.withConfig,
		RunE: func(c *cobra.Command, args []string) error {
			host, err := p.setHost(c)
			if err != nil {
				return err
			}
			code := exitDone
			for _, arg := range args {
				found, err := p.findingsOf(c.Context(), host, arg)
				if err != nil {
					p.report(err)
					code = exitFailed
					continue
				}
				code = worse(code, p.printFindings(arg, found))
			}
			return ended(code)
		},
	}
}

// findingsOf are what is wrong with a set, by a host where one is named.
func (p *program) findingsOf(ctx context.Context, host, arg string) ([]collectorset.Finding, error) {
	if host != "" {
		return p.hostSets().Check(ctx, host, arg, func() ([]byte, error) { return p.readInput(arg, mostSetBytes) })
	}
	set, err := p.setOf(arg)
	if err != nil {
		return nil, err
	}
	return p.sets().Findings(set), nil
}

// worse is the exit code of two.
func worse(a, b int) int {
	if a == exitFailed || b == exitFailed {
		return exitFailed
	}
	return max(a, b)
}

// printFindings prints what is found in a set and says how it ends.
func (p *program) printFindings(name string, found []collectorset.Finding) (code int) {
	if len(found) == 0 {
		p.say("%s: nothing is wrong", name)
		return exitDone
	}
	for _, f := range found {
		kind := "error"
		switch {
		case f.Code.IsNote():
			kind = "note"
		case !f.Refuses:
			kind = "left out"
			code = worse(code, exitPartly)
		default:
			code = exitFailed
		}
		p.say("%s: %s: %s", name, kind, f)
	}
	return code
}

func (p *program) collectImportCommand() *cobra.Command {
	var o sets.Import
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Keep a set that perfmon or logman exported",
		Long: `import keeps the set of a file: a template of perfmon, or what logman export wrote. What
it cannot do here is told, kept in the file, and exported again as it was written. With -H
a host is given the set as it is written; one that -y replaces is kept in a file before.`,
		Example: `  perfdeck collect import exchange.xml
  perfdeck collect import --name 'Web load' --root /srv/perflogs web.xml`,
		Args:    exactly("file"),
		PreRunE: p.withConfig,
		RunE: func(c *cobra.Command, args []string) error {
			o.File = args[0]
			host, how, err := p.howOf(c, o.Replace)
			if err != nil {
				return err
			}
			if host != "" {
				return p.importToHost(c.Context(), host, o, how)
			}
			set, err := p.readSet(args[0])
			if err != nil {
				return err
			}
			found, err := p.sets().Import(set, o)
			for _, f := range found {
				p.aside("%s", f)
			}
			if err != nil {
				return err
			}
			p.printRoot(set)
			return nil
		},
	}
	addFlags(c.Flags(), &o)
	runAsFlags(c)
	return c
}

// printRoot prints where a set's files will be.
func (p *program) printRoot(s *sets.Set) {
	p.say("%s: files go to %s", s.Set.Name, s.Root)
}

// collectExportFlags are the flags of collect export.
type collectExportFlags struct {
	Output    string   `flag:"output" short:"o" help:"file to write to (default: standard output)"`
	Pack      string   `flag:"pack" help:"a set of the counters of this starter pack, instead of one that is kept"`
	Instances []string `flag:"instance" help:"with --pack: a named instance of SQL Server (repeatable)"`
	UTF8      bool     `flag:"utf8" help:"write UTF-8"`
	Overwrite bool     `flag:"overwrite" short:"y" help:"replace the file if it is there"`
}

func (p *program) collectExportCommand() *cobra.Command {
	var f collectExportFlags
	c := flagged(&cobra.Command{
		Use:   "export [NAME]",
		Short: "Write a set as perfmon and logman import it",
		Long: `export writes a set as a template: perfmon's "Create from a template" and logman import
read it. It is UTF-16, as Windows writes it, or as the set was imported. With --pack it
is a set of the counters that a starter pack judges, each 15 seconds, as of the default
instance of SQL Server or of those that --instance names. With -H it is a set of a host, as
that writes it.`,
		Example: `  perfdeck collect export 'Web load' -o web.xml
  perfdeck collect export --pack sqlserver -o sqlserver.xml`,
		Args: func(c *cobra.Command, args []string) error {
			if f.Pack != "" {
				return atMost(0)(c, args)
			}
			return exactly("name of the set")(c, args)
		},
		ValidArgsFunction: p.completeSets,
	}, &f, p.exportSet)
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	return c
}

// exportSet writes a set of a host, of a pack or of this computer.
func (p *program) exportSet(c *cobra.Command, args []string, f collectExportFlags) error {
	host, err := p.setHost(c)
	if err == nil && host != "" {
		err = notOfHosts(c, "pack", "a pack is no set of a host")
	}
	if err != nil {
		return err
	}
	if host != "" {
		encoding := collectorset.UTF16
		if f.UTF8 {
			encoding = collectorset.UTF8
		}
		data, err := p.hostSets().Export(c.Context(), host, args[0], encoding)
		if err != nil {
			return err
		}
		return p.writeSet(args[0], data, f)
	}
	var set *sets.Set
	if f.Pack == "" {
		set, err = p.sets().Read(args[0])
	} else {
		set, err = setOfPack(f.Pack, f.Instances)
	}
	if err != nil {
		return err
	}
	if f.UTF8 {
		set.Encoding = collectorset.UTF8
	}
	return p.writeSet(set.Set.Name, set.Export(), f)
}

// setOfPack is a set of what a pack judges.
func setOfPack(name string, instances []string) (*sets.Set, error) {
	of, err := rulepack.Paths(name)
	if err != nil {
		return nil, usage(err)
	}
	var counters []string
	for _, path := range of {
		instance, kind, is := paths.OfServer(strings.TrimPrefix(path, `\`))
		if !is || instance != "" || len(instances) == 0 {
			counters = append(counters, path)
			continue
		}
		for _, instance := range instances {
			counters = append(counters, `\`+paths.ServerObject(instance, kind))
		}
	}
	e, err := edit.Make(collectorset.Counters, name, field.Changes{"counter": counters, edit.Every: {"15"}})
	return &sets.Set{Entry: e}, err
}

// writeSet writes the bytes of a set.
func (p *program) writeSet(name string, data []byte, f collectExportFlags) error {
	if f.Output == "" || f.Output == stdinName {
		return p.writeText("", false, data)
	}
	if _, err := os.Lstat(f.Output); err == nil && !f.Overwrite && !osfile.IsDevice(f.Output) {
		return failure.WithHint(fmt.Errorf("export %s: %s is there already", name, f.Output), "-y replaces it")
	}
	if err := p.writeText(f.Output, f.Overwrite, data); err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	return nil
}
