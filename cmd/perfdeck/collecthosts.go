package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"perfdeck/paths"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/remotesets"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/tty"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// What -H means to collect: whose sets these are.

// setHosts are the hosts whose sets are meant; none: they are the user's own.
func (p *program) setHosts() (hosts []string, err error) {
	own := 0
	for _, name := range p.flags.Hosts {
		if inventory.IsLocal(name) {
			own++
		} else if !inventory.Means(hosts, name) || len(hosts) == 0 {
			hosts = append(hosts, name)
		}
	}
	switch {
	case len(hosts) == 0:
		return nil, nil
	case own > 0:
		return nil, usage(errors.New("-H names this computer and others: its sets are asked for by themselves"), "leave the other hosts out, or this one")
	}
	return hosts, nil
}

// setHost is the one host whose sets are meant; empty: they are the user's own.
func (p *program) setHost(c *cobra.Command) (string, error) {
	hosts, err := p.setHosts()
	if err == nil && len(hosts) > 1 {
		err = usage(fmt.Errorf("%s: -H names %d hosts, and a set of one is meant", strings.TrimPrefix(c.CommandPath(), "perfdeck collect "), len(hosts)), "name one; list, show, start and stop take several")
	}
	if err != nil || len(hosts) == 0 {
		return "", err
	}
	return hosts[0], nil
}

// ofSets reads the config before a command runs, and settles whose sets of this computer are
// meant where no host is.
func (p *program) ofSets(writes bool, files ...string) func(*cobra.Command, []string) error {
	return func(*cobra.Command, []string) error {
		hosts, err := p.setHosts()
		if err == nil && len(hosts) == 0 {
			p.whose(writes, files...)
		}
		return errors.Join(err, p.loadConfig())
	}
}

// onlyHere refuses -H where a set is of this computer in any case.
func (p *program) onlyHere(instead string) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		hosts, err := p.setHosts()
		if err == nil && len(hosts) > 0 {
			err = usage(fmt.Errorf("%s: it is about sets that run on this computer, and -H names another", c.Name()), instead)
		}
		return err
	}
}

// completeSetsOf completes the names of sets of hosts.
func (p *program) completeSetsOf(c *cobra.Command, hosts []string) (names []string, how cobra.ShellCompDirective) {
	p.in = nil // nobody is asked for a password meanwhile
	ctx, stop := context.WithTimeout(c.Context(), completionPatience)
	defer stop()
	for _, r := range p.hostSets().List(ctx, hosts) {
		if r.Err == nil {
			for _, s := range r.Is.Sets {
				names = append(names, printable.Text(remotesets.Short(s.Name)))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// notOfHosts refuses a flag that means nothing to the sets of hosts.
func notOfHosts(c *cobra.Command, flag, why string) error {
	if c.Flags().Changed(flag) {
		return usage(fmt.Errorf("--%s with -H: %s", flag, why))
	}
	return nil
}

// hostSets are the sets of hosts.
func (p *program) hostSets() *remotesets.Client { return p.hostSetsAsking(p.confirm) }

// hostSetsAsking are the sets of hosts, about which confirm asks the user.
func (p *program) hostSetsAsking(confirm func(question string) (bool, error)) *remotesets.Client {
	return &remotesets.Client{Open: p.setsOpener(), State: config.MakeStateDir, Now: time.Now, Go: p.guard.Go, Confirm: confirm}
}

// setsOpener opens the sets of hosts.
func (p *program) setsOpener() func(host string) (pla.Sets, error) {
	known, err := p.inventory()
	if err != nil {
		return func(string) (pla.Sets, error) { return nil, err }
	}
	return known.CollectorSets
}

var errNotAsked = errors.New("there is no terminal to ask on")

// confirm asks the user on the terminal.
func (p *program) confirm(question string) (bool, error) {
	if !term.IsTerminal(int(p.in.Fd())) {
		return false, errNotAsked
	}
	p.life.Prompting(func() {}) // a signal ends the program here
	defer p.life.Prompting(nil)
	answer, err := p.answer(question+" (yes/no)", true)
	return answer == "yes", err
}

// runAsFlags are those that say as whom a set of a host runs.
func runAsFlags(c *cobra.Command) {
	c.Flags().String("run-as", "", `with -H: account that the set runs as, [DOMAIN\]NAME, or SYSTEM (logman -u); its password is asked for`)
	c.Flags().String("run-as-password-file", "", "file with that password, mode 0600")
}

// howOf is how a set is changed, as flags say, and of which host, as of setHost.
func (p *program) howOf(c *cobra.Command, yes bool) (host string, how remotesets.How, err error) {
	if host, err = p.setHost(c); err != nil {
		return host, how, err
	}
	how.Yes = yes
	user, _ := c.Flags().GetString("run-as")
	file, _ := c.Flags().GetString("run-as-password-file")
	switch {
	case !c.Flags().Changed("run-as") && file != "":
		err = errors.New("--run-as-password-file without --run-as: whose password it is")
	case !c.Flags().Changed("run-as"):
		return host, how, nil
	case host == "":
		err = errors.New("--run-as without -H: sets of this computer run as who starts them")
	case user == "":
		err = failure.WithHint(errors.New("--run-as: no account is named"), "SYSTEM is how sets run without one")
	case paths.EqualFold(user, "SYSTEM"):
		how.RunAs = &pla.RunAs{}
		return host, how, nil
	}
	if err != nil {
		return host, how, usage(err)
	}
	how.RunAs = &pla.RunAs{User: user, Password: func(ctx context.Context) ([]byte, error) {
		if file != "" {
			return p.accounts().Follow(ctx, user, user, config.PasswordRef{File: whole(file)})
		}
		password, err := p.prompt("password of " + user + ", as whom the set runs on " + host)
		if errors.Is(err, errNoPrompt) {
			err = failure.WithHint(err, "use --run-as-password-file FILE")
		}
		return password, err
	}}
	return host, how, nil
}

// each tells what came of hosts, by themselves, and ends the command as that went.
func each[T any](p *program, results []remotesets.Result[T], tell func(r remotesets.Result[T])) error {
	failed := 0
	for _, r := range results {
		if r.Err != nil {
			p.report(r.Err)
			failed++
			continue
		}
		tell(r)
	}
	switch failed {
	case 0:
		return nil
	case len(results):
		return ended(exitFailed)
	}
	return partlyIf(true)
}

// listOfHosts prints the sets of hosts.
func (p *program) listOfHosts(ctx context.Context, hosts []string, asJSON bool) error {
	out := bufio.NewWriter(p.out)
	people := p.people(p.out).To(out)
	var states []pla.Status
	table := text.Table{
		Columns: []text.Column{{Head: "host"}, {Head: "set", Most: 256}, {Head: "status", Least: 8}},
		Tone: func(row, column int) themes.Token {
			if column == 2 && states[row] == pla.Running {
				return themes.OK
			}
			return themes.Text
		},
	}
	left := false
	err := each(p, p.hostSets().List(ctx, hosts), func(r remotesets.Result[*pla.Listing]) {
		for _, c := range pla.Categories {
			if not := r.Is.Not[c]; not != nil {
				p.report(fmt.Errorf("%s: sets of %s: %w", r.Host, c, not))
				left = true
			}
		}
		if r.Is.More > 0 {
			p.tell(fmt.Sprintf("%s has %d sets more, which are not listed", r.Host, r.Is.More))
			left = true
		}
		if len(r.Is.Sets) == 0 && !asJSON {
			p.tell(r.Host + ": there are no data collector sets")
		}
		for _, s := range r.Is.Sets {
			if asJSON {
				_ = printable.WriteJSON(people, jsonListedSet{Host: r.Host, Name: s.Name.String(), Kind: "set", Status: s.Status.String()})
				continue
			}
			states = append(states, s.Status)
			table.Row(r.Host, s.Name.String(), s.Status.String())
		}
	})
	if len(states) > 0 {
		_ = table.Print(people) // the flush tells
	}
	if failed := out.Flush(); failed != nil && !tty.IsGone(failed) {
		return failed
	}
	if err != nil {
		return err
	}
	return partlyIf(left)
}

// showOfHosts says in words what a set of hosts does.
func (p *program) showOfHosts(ctx context.Context, hosts []string, name string) error {
	shown, err := p.hostSets().Show(ctx, hosts, name)
	if err != nil {
		return err
	}
	return each(p, shown, func(r remotesets.Result[remotesets.Shown]) {
		for _, line := range r.Is.Lines {
			p.say("%s", line)
		}
		if len(r.Is.Found) > 0 {
			p.printFindings(name, r.Is.Found)
		}
	})
}

// runOfHosts tells of sets of hosts that were started, or stopped.
func (p *program) runOfHosts(is string, results []remotesets.Result[pla.Name], err error) error {
	if err != nil {
		return err
	}
	return each(p, results, func(r remotesets.Result[pla.Name]) {
		p.say("%s: %s: %s", r.Host, r.Is, is)
	})
}

// changed tells what came of a set of a host that was made or changed.
func (p *program) changed(host, is string, c *remotesets.Change, err error) error {
	if err != nil {
		if c != nil && c.Kept != "" {
			p.tell("if the host changed it all the same: " + takesBack(host, c) + " takes it back")
		}
		return setUsage(err)
	}
	left := false
	for _, f := range c.Found {
		p.report(errors.New(f.String()))
		left = left || f.Refuses
	}
	if c.Same {
		is = "nothing of it changes"
	}
	p.say("%s: %s: %s", host, c.Name, is)
	if c.Kept != "" {
		p.tell("it is kept as it was: " + takesBack(host, c) + " takes it back")
	}
	return partlyIf(left)
}

// takesBack is the command by which a set of a host becomes what it was. Its name is foreign.
func takesBack(host string, c *remotesets.Change) string {
	words := []string{"perfdeck collect import -y -H", inShell(host)}
	if c.Name.Category != pla.Service { // which its file does not say
		words = append(words, "--name", inShell(c.Name.String()))
	}
	return strings.Join(append(words, inShell(c.Kept)), " ")
}

// importToHost gives a host the set of a file.
func (p *program) importToHost(ctx context.Context, host string, o sets.Import, how remotesets.How) error {
	data, err := p.readInput(o.File, mostSetBytes)
	if err != nil {
		return fmt.Errorf("read the set: %w", err)
	}
	c, err := p.hostSets().Import(ctx, host, remotesets.Imported{File: o.File, Data: data, Name: o.Name, Root: o.Root}, how)
	return p.changed(host, "is there", c, err)
}
