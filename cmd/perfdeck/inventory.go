package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// inventory is that of the run, as the flags say, once they are parsed, and the config.
func (p *program) inventory() (*inventory.Inventory, error) {
	if err := p.loadConfig(); err != nil {
		return nil, err
	}
	return p.known(), nil
}

// known is the inventory once the config was read.
func (p *program) known() *inventory.Inventory {
	known, _ := p.hostsKnown.Get(func() (*inventory.Inventory, error) {
		o := inventory.Options{
			Config: p.config, Accounts: p.accounts(), Demo: p.flags.Demo, Encrypt: p.flags.SMBEncrypt, MaxRate: p.flags.maxRate.bytes,
			SPN: p.flags.kerberos.SPN, Named: func() int { return len(p.flags.Hosts) },
			SSH:   inventory.SSHOptions{Version: version(), Deploy: p.flags.Deploy, DeployFrom: p.flags.DeployFrom},
			Clock: p.runClock, Go: p.guard.Go, Environ: p.environ, Getenv: p.getenv, Own: p.own,
			Prompt: p.prompt, Agent: "perfdeck/" + version(), Tell: p.tellOffScreen, Context: p.context, Stdin: p.listedStdin, Manifests: p.fedManifests,
		}
		if p.in != nil && term.IsTerminal(int(p.in.Fd())) {
			o.SSH.Ask = p.askForSSH
		}
		return inventory.New(o), nil
	})
	return known
}

// rateFlag is a limit in bytes a second.
type rateFlag struct {
	text  string
	bytes int64 // 0: none
}

func (f *rateFlag) String() string { return f.text }
func (f *rateFlag) Type() string   { return "string" }

// Set reads it.
func (f *rateFlag) Set(text string) error {
	n, ok := field.ParseSize(text)
	if !ok || n < config.LeastRate {
		return fmt.Errorf("not a size as 32KB, of at least %s", english.Size(config.LeastRate))
	}
	f.text, f.bytes = text, n
	return nil
}

// tellOffScreen tells what is waited for and what is dead, where there are no screens that do.
func (p *program) tellOffScreen(err error) {
	if !p.isOnScreen() {
		p.report(err)
	}
}

// gatherHosts adds to the hosts that were named those of the files and of the groups.
func (p *program) gatherHosts() error {
	f := &p.flags
	if p.given == nil {
		given := *f
		p.given = &given
	}
	if len(f.HostFiles) == 0 && len(f.Groups) == 0 {
		return nil
	}
	known, err := p.inventory()
	if err != nil {
		return err
	}
	names, err := known.Gather(p.context(), f.Hosts, f.HostFiles, f.Groups)
	if err != nil {
		return err
	}
	f.Hosts, f.HostFiles, f.Groups = names, nil, nil // a second gathering finds the hosts alone
	return nil
}

// listedStdin has a list of hosts read from the standard input.
func (p *program) listedStdin(read func(io.Reader) ([]string, error)) ([]string, error) {
	if p.listed != nil {
		return p.listed, nil
	}
	if term.IsTerminal(int(p.in.Fd())) {
		return nil, usage(errors.New("read hosts: the standard input is a terminal"), "name a file, or pipe the hosts in")
	}
	names, err := read(p.standardInput())
	if err == nil {
		p.listed = names
		p.takeTerminal()
	}
	return names, err
}

// takeTerminal has keys and passwords come from the terminal, if there is one, after the
// standard input was read.
func (p *program) takeTerminal() {
	if in, err := tty.Open(); err == nil {
		p.in = in
	}
}

// fedManifests reads and checks those of feeds.
func (p *program) fedManifests(names []string) ([]*manifest.File, error) {
	m, err := manifest.Check(names, p.readInput)
	if err != nil {
		return nil, err
	}
	if err := m.Verdict("feed"); err != nil {
		return nil, failure.WithHint(err, "perfdeck manifest check says what is wrong")
	}
	return m.Files, nil
}

// hosts opens the hosts of the flags.
func (p *program) hosts(m inventory.Mode) ([]inventory.Host, error) {
	known, err := p.inventory()
	if err != nil {
		return nil, err
	}
	return known.Open(p.flags.Hosts, m)
}

// hostsOf opens the hosts that the flags and the paths name, as far as a path is meant for
// them.
func (p *program) hostsOf(queries []inventory.Query) ([]inventory.Host, error) {
	return p.known().For(queries, p.flags.Hosts, inventory.Mode{Kept: true, Asked: queries})
}

// completeGroups are the groups of the config, for the shell.
func (p *program) completeGroups(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	known, err := p.inventory()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return known.GroupNames(), cobra.ShellCompDirectiveNoFileComp
}
