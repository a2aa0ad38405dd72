package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert/action"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/runner"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/desk"
)

func (p *program) collectCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "collect",
		Short: "Data collector sets, as perfmon and logman have them",
		Long: `collect keeps data collector sets: what perfmon saves as a template and logman exports
is imported, checked, run and exported again. A set has collectors of counters and of
alerts, a schedule, segments and limits; its files go to a folder of its own below the
state folder, or where --root says. No computer is asked that the config does not name,
and no program is run but those in [tasks] of the config, when a set's Task has the very
name of one.`,
		Args: atLeast(1, "subcommand"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usage(session.WithHint(fmt.Errorf("collect %s: no such subcommand", args[0]), "there are list, show, check, import, export, create, update, delete, start, stop, run and report"))
		},
	}
	c.AddCommand(
		p.collectListCommand(), p.collectShowCommand(), p.collectCheckCommand(), p.collectImportCommand(), p.collectExportCommand(),
		p.collectCreateCommand(), p.collectUpdateCommand(), p.collectDeleteCommand(),
		p.collectStartCommand(), p.collectStopCommand(), p.collectRunCommand(), p.collectReportCommand(),
	)
	return c
}

// sets opens the folder of data collector sets.
func (p *program) sets() (*store.Store, error) {
	dir, err := config.MakeStateDir()
	if err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(dir, "sets"))
}

// rootOf is where the folders of a set are.
func rootOf(e *store.Entry) (string, error) {
	if e.State.Root != "" {
		return e.State.Root, nil
	}
	dir, err := config.MakeStateDir()
	return filepath.Join(dir, "collected", e.Set.Name), err
}

// completeSets completes the names of sets.
func (p *program) completeSets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	s, err := p.sets()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, _ := s.Names()
	return names, cobra.ShellCompDirectiveNoFileComp
}

// oneSet is a command about the set that its argument names.
func (p *program) oneSet(use, short, long string, do func(s *store.Store, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Long: long, Args: cobra.ExactArgs(1), ValidArgsFunction: p.completeSets,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := p.sets()
			if err != nil {
				return err
			}
			return do(s, args[0])
		},
	}
}

func (p *program) collectDeleteCommand() *cobra.Command {
	var withFiles bool
	c := p.oneSet("delete", "Forget a set", `delete forgets a set that does not run. What it collected stays where it is, unless
--files is given: then the folders that its own runs made go first, and nothing else.`, func(s *store.Store, name string) error {
		return p.deleteSet(s, name, withFiles)
	})
	c.Flags().BoolVar(&withFiles, "files", false, "remove what it collected, too")
	return c
}

// deleteSet forgets a set; with files what it collected goes first.
func (p *program) deleteSet(s *store.Store, name string, withFiles bool) error {
	e, err := s.Load(name)
	switch {
	case err != nil && withFiles:
		return err
	case err != nil: // it is damaged: nobody knows what it collected
		return s.Delete(name)
	}
	root, err := rootOf(e)
	if err != nil {
		return err
	}
	if withFiles {
		if err := runner.Discard(s, e.Set.Name, root, p.newClock()); err != nil {
			return err
		}
		if e.State.Root == "" {
			_ = os.Remove(root) // our own folder, if nothing is left in it
		}
	}
	if err := s.Delete(name); err != nil {
		return err
	}
	p.forgetRecordings(root, e)
	return nil
}

func (p *program) collectStopCommand() *cobra.Command {
	return p.oneSet("stop", "End a set that runs", "stop ends the run of a set, wherever it was started. Its files are complete when stop returns.", p.stopSet)
}

// stopSet ends the run of a set, and waits until its files are complete.
func (p *program) stopSet(s *store.Store, name string) error {
	if err := s.WantEnd(name); err != nil {
		return err
	}
	for end := time.Now().Add(desk.Closing); s.Running(name); {
		if !session.Sleep(p.context(), 50*time.Millisecond) {
			return nil
		}
		if time.Now().After(end) {
			return session.WithHint(fmt.Errorf("stop the set %s: it goes on after %v", name, desk.Closing), "its disk may be slow; perfdeck collect list shows how it stands")
		}
	}
	return nil
}

// readSet reads a set from a file, or from standard input for -.
func (p *program) readSet(file string) (*store.Entry, error) {
	const most = 16 << 20
	data, err := p.readInput(file, most)
	if err != nil {
		return nil, fmt.Errorf("read the set: %w", err)
	}
	set, found, err := collectorset.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read the set %s: %w", file, err)
	}
	return &store.Entry{Set: set, Encoding: collectorset.EncodingOf(data), Findings: found}, nil
}

// entryOfArgument is a set of the store, or of a file where no set has that name.
func (p *program) entryOfArgument(arg string) (*store.Entry, error) {
	s, err := p.sets()
	if err != nil {
		return nil, err
	}
	e, err := s.Load(arg)
	if err == nil || !errors.Is(err, store.ErrNotFound) {
		return e, err
	}
	if _, gone := os.Stat(arg); gone != nil && arg != stdinName {
		return nil, err
	}
	return p.readSet(arg)
}

// findings is all that is found in a set.
func (p *program) findings(e *store.Entry) []collectorset.Finding {
	return append(slices.Clone(e.Findings), e.Set.Check(p.place())...)
}

// place is what sets find here.
func (p *program) place() collectorset.Place {
	return collectorset.Place{Watched: p.isWatched, Task: func(name string) bool { _, ok := p.taskOf(name); return ok }}
}

// taskOf is the [tasks] of the config that has a name.
func (p *program) taskOf(name string) (action.Task, bool) {
	if p.config == nil || name == "" {
		return action.Task{}, false
	}
	t, ok := p.config.Alerts.Tasks[name]
	return action.Task{Command: t.Command, Timeout: t.Timeout, Most: t.Most}, ok
}

// isWatched tells the computers that a set may ask: this one, and those that the user
// named himself.
func (p *program) isWatched(computer string) bool {
	if inventory.IsLocal(computer) || slices.ContainsFunc(p.flags.hosts, func(h string) bool {
		return inventory.Is(computer, h) || inventory.Is(computer, inventory.DisplayName(h))
	}) {
		return true
	}
	return p.config != nil && slices.ContainsFunc(p.config.Hosts, func(h config.Host) bool { return inventory.Is(computer, h.Name) })
}

func (p *program) collectCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check NAME|FILE...",
		Short: "Tell what is wrong with sets",
		Long: `check tells what is wrong with data collector sets: what Windows would refuse or ignore,
with its codes, and what a set would not do here.

The exit code is 1 when a set cannot be run as it is, 3 when a part of it cannot.`,
		Args: atLeast(1, "set or file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			code := exitDone
			for _, arg := range args {
				e, err := p.entryOfArgument(arg)
				if err != nil {
					p.report(err)
					code = exitFailed
					continue
				}
				code = worse(code, p.printFindings(arg, p.findings(e)))
			}
			if code != exitDone {
				return &exitError{code: code}
			}
			return nil
		},
	}
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
		fmt.Fprintf(p.out, "%s: nothing is wrong\n", session.Printable(name))
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
		fmt.Fprintf(p.out, "%s: %s: %s\n", session.Printable(name), kind, session.Printable(f.String()))
	}
	return code
}

func (p *program) collectImportCommand() *cobra.Command {
	var name, root string
	var replace bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Keep a set that perfmon or logman exported",
		Long: `import keeps the set of a file: a template of perfmon, or what logman export wrote. What
it cannot do here is told, kept in the file, and exported again as it was written.`,
		Example: `  perfdeck collect import exchange.xml
  perfdeck collect import --name 'Web load' --root /srv/perflogs web.xml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.loadConfig(); err != nil {
				return err
			}
			e, err := p.readSet(args[0])
			if err != nil {
				return err
			}
			return p.importSet(e, args[0], name, root, replace)
		},
	}
	c.Flags().StringVar(&name, "name", "", "name of the set (default: what the file says)")
	c.Flags().StringVar(&root, "root", "", "folder that its folders go to (default: below the state folder)")
	c.Flags().BoolVarP(&replace, "replace", "y", false, "replace a set of this name")
	return c
}

var errSetRefused = errors.New("it cannot be run as it is")

func (p *program) importSet(e *store.Entry, file, name, root string, replace bool) error {
	if name == "" {
		name = e.Set.Name
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	e.Set.Name = name
	e.Set.Status = 0
	found := p.findings(e)
	refused := slices.ContainsFunc(found, func(f collectorset.Finding) bool { return f.Refuses })
	for _, f := range found {
		fmt.Fprintln(p.err, session.Printable(f.String()))
	}
	if refused {
		return session.WithHint(fmt.Errorf("import %s: %w", file, errSetRefused), "mend what stands above with an editor; the file was not changed")
	}
	if err := setRoot(e, root); err != nil {
		return err
	}
	s, err := p.sets()
	if err != nil {
		return err
	}
	err = s.Create(e)
	if replace && errors.Is(err, store.ErrExists) {
		err = s.Change("import", name, func(old *store.Entry) error {
			if root == "" {
				e.State.Root = old.State.Root
			}
			e.State.Folders = old.State.Folders
			e.Set.SerialNumber = max(e.Set.SerialNumber, old.Set.SerialNumber)
			*old = *e
			return nil
		})
	}
	if err != nil {
		return err
	}
	return p.sayWhere(e)
}

// setRoot takes the folder that the user named for a set.
func setRoot(e *store.Entry, root string) error {
	if root == "" {
		return nil
	}
	root, err := config.BelowHome(root)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	e.State.Root = root
	return err
}

// sayWhere says where a set's files will be.
func (p *program) sayWhere(e *store.Entry) error {
	root, err := rootOf(e)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s: files go to %s\n", session.Printable(e.Set.Name), session.Printable(root))
	return nil
}

func (p *program) collectExportCommand() *cobra.Command {
	var output string
	var utf8, force bool
	c := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a set as perfmon and logman import it",
		Long: `export writes a set as a template: perfmon's "Create from a template" and logman import
read it. It is UTF-16, as Windows writes it, or as the set was imported.`,
		Example:           `  perfdeck collect export 'Web load' -o web.xml`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeSets,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := p.sets()
			if err != nil {
				return err
			}
			e, err := s.Load(args[0])
			if err != nil {
				return err
			}
			if utf8 {
				e.Encoding = collectorset.UTF8
			}
			e.Set.Status = 0
			return p.exportSet(e, output, force)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "file to write to (default: standard output)")
	c.Flags().BoolVar(&utf8, "utf8", false, "write UTF-8")
	c.Flags().BoolVarP(&force, "overwrite", "y", false, "replace the file if it is there")
	return c
}

func (p *program) exportSet(e *store.Entry, output string, force bool) error {
	data := e.Set.Encode(e.Encoding)
	if output == "" || output == stdinName {
		out := bufio.NewWriter(p.out)
		_, _ = out.Write(data)
		return unlessPipe(out.Flush())
	}
	if _, err := os.Lstat(output); err == nil && !force && !isDevice(output) {
		return session.WithHint(fmt.Errorf("export %s: %s is there already", e.Set.Name, output), "-y replaces it")
	}
	if err := p.writeText(output, force, data); err != nil {
		return fmt.Errorf("export %s: %w", e.Set.Name, err)
	}
	return nil
}
