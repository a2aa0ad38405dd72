package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/give/exporter"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/service"
)

func (p *program) configCommand() *cobra.Command {
	var rules, packs []string
	against := ""
	check := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the whole config, and tell what a reload would do",
		Long: `check reads the config, or another file, and says all that is wrong with it: settings,
hosts, groups, engines, feeds, pushes, rules, and files of passwords and tokens, which only
the user may read. Rules are looked up among the counters of this computer, and those that
are kept of hosts of the config. No host is asked: perfdeck alerts check -H HOST looks rules
up there, perfdeck doctor HOST logs on.

With --against running it also says what SIGHUP would change in each perfdeck watch, serve,
exporter and push that works with that file and has the same state folder, and checks the
files that they read again beside it.

The exit code is 1 when something is wrong: a reload would then change nothing. It is 3 when
something is doubtful, as a host of a group that is no [[host]], or a rule on a counter that
no known host has; with --against running that is told, and the code is 0.`,
		Example: `  perfdeck config check
  perfdeck config check --against running && kill -HUP PROCESS
  sudo perfdeck config check --config /etc/perfdeck/config.toml --against running`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if against != "" && against != againstRunning {
				return unknownValue("against", against, againstRunning)
			}
			if len(args) == 0 {
				p.whose(false)
			}
			return p.checkConfig(c, args, packs, rules, against != "")
		},
	}
	check.Flags().StringVar(&against, "against", "", "what it is compared with: "+againstRunning)
	offer(check, "against", []string{againstRunning})
	p.addAlertFlag(check, &rules)
	addPackFlag(check, &packs, "starter pack of rules besides those of the config")
	return group(&cobra.Command{
		Use:   "config",
		Short: "Check the config",
	}, "command", "perfdeck config check", check)
}

// againstRunning is what --against takes.
const againstRunning = "running"

// checkConfig tells all that is wrong with the config, and what a reload would do.
func (p *program) checkConfig(c *cobra.Command, args, packs, texts []string, reload bool) error {
	file, rules, unread, mistakes := p.readWrong(args, packs, texts)
	mistakes = append(mistakes, unread...)
	var wrong, doubts []error
	judge := func() { wrong, doubts = p.known().CheckConfig() }
	if !reload {
		judge()
	} else {
		refused, err := p.compareRunning(c.Context(), file, unread, judge)
		if err != nil {
			return err
		}
		mistakes = append(mistakes, refused...)
	}
	hosts := p.known().Catalogues()
	missing, _ := ruleset.LookUp(c.Context(), rules, hosts, true)
	inventory.CloseAll(hosts)
	mistakes, doubts = append(mistakes, wrong...), append(doubts, missing...)
	if reload {
		mistakes = slices.DeleteFunc(mistakes, p.ofOthers)
		for _, err := range doubts { // which keep nothing from being taken
			p.report(err)
		}
		doubts = nil
	}
	return p.tellChecked(file, mistakes, doubts, len(rules))
}

// compareRunning tells what services would take that work with a config of which unread could not be read,
// and what each would refuse for itself. judge is called as their user: who may read a secret differs.
func (p *program) compareRunning(ctx context.Context, file *config.Config, unread []error, judge func()) (wrong []error, err error) {
	usual, _ := config.DefaultFile()
	at := whole(cmp.Or(file.File, p.flags.Config, usual))
	none := true
	err = p.visit(false, func(dir string) error {
		judge()
		all, err := config.RunningIn(dir)
		for i := range all {
			r := &all[i]
			if cmp.Or(r.Config, usual) != at {
				continue
			}
			none = false
			ok, refused := p.refuses(ctx, file, r, len(unread) == 0)
			for _, err := range refused {
				wrong = append(wrong, failure.WithHint(fmt.Errorf("%s (process %d): %w", r.Command, r.Process, err), failure.Hint(err)))
			}
			text := "nothing"
			if changes := r.Taken.Changes(takenOf(file, r.Files, r.Keys)); !ok || len(refused) > 0 {
				text = "nothing, for what is wrong"
			} else if len(changes) > 0 {
				text = strings.Join(changes, "; ")
			}
			p.say("%s (process %d, as of %s): a reload would take %s", r.Command, r.Process, r.Since.Local().Format(time.DateTime), text)
		}
		return err
	})
	if none && err == nil {
		p.tell("nothing that runs works with this file and this state folder")
	}
	return wrong, err
}

// refuses tells whether a config is well for what a service reads of it, and why it would not take one that is:
// for the files beside it, and for what its command line names.
func (p *program) refuses(ctx context.Context, file *config.Config, r *config.Running, isRead bool) (ok bool, why []error) {
	add := func(err error) {
		if err != nil && !p.ofOthers(err) {
			why = append(why, err)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Files)) {
		add(p.checkBeside(ctx, kind, r.Files[kind]))
	}
	known := p.known()
	wrong, _ := known.CheckConfig(r.Keys...)
	if !isRead || len(slices.DeleteFunc(wrong, p.ofOthers)) > 0 { // it may name what is only not read
		return false, why
	}
	_, err := known.Gather(ctx, nil, nil, r.Named.Groups)
	add(err)
	for _, name := range r.Named.Hosts {
		_, was := r.Taken["host"][name]
		if _, is := file.Host(name); was && !is { // and without its account it is not opened
			add(fmt.Errorf("host %s: the config has no such [[host]] any more", name))
			continue
		}
		add(known.Check(name))
	}
	if r.Named.To != "" {
		_, err := p.pushes(p.tellError).Named(r.Named.To)
		add(err)
	}
	if slices.Contains(r.Keys, "alert") {
		rules, err := ruleset.Of(file, r.Named.Packs, r.Named.Rules)
		if add(err); err == nil && len(rules) == 0 && len(r.Taken["alert"]) > 0 && !file.RecordsAlways() && len(file.Pushes) == 0 {
			add(noRules())
		}
	}
	return true, why
}

// ofOthers tells that what is wrong is wrong for this process alone: a secret that systemd hands to another.
func (p *program) ofOthers(err error) bool {
	return service.IsHandedToOthers(err, p.getenv("CREDENTIALS_DIRECTORY"))
}

// checkBeside tells what is wrong with a file that a service reads beside the config.
func (p *program) checkBeside(ctx context.Context, kind, name string) error {
	switch kind {
	case "accounts":
		_, err := server.ReadAccounts(name)
		return err
	case "web-config":
		web, err := exporter.ReadWebConfig(ctx, name, config.Obeyed)
		if err == nil && web.HasTLS() {
			_, err = web.TLS()
		}
		return err
	}
	_, err := p.known().Gather(ctx, nil, []string{name}, nil)
	return err
}
