package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/system/service"
)

// secretFlags name files that are root's alone: systemd hands them to a service.
var secretFlags = []string{"password-file", "to-password-file", "token-file", "key-file", "keytab", "accounts", "web-config"}

// addUnitFlag has a command print the unit file that runs it with the flags at hand. What those flags
// of checked are given the check before a reload has, too.
func (p *program) addUnitFlag(c *cobra.Command, description string, checked []string, needs ...string) {
	wanted, run := false, c.RunE
	c.Flags().BoolVar(&wanted, "systemd", false, "print a unit file for systemd, and do nothing else")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !wanted {
			return run(c, args)
		}
		for _, other := range []string{"replay", "stdio"} {
			if f := c.Flags().Lookup(other); f != nil && f.Changed {
				return usage(fmt.Errorf("%s: --systemd and --%s exclude each other", c.Name(), other))
			}
		}
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("print the unit file: %w", err)
		}
		u := service.Unit{
			Name: "perfdeck-" + c.Name(), Description: description, Needs: needs,
			Command: []string{program, c.Name()}, Check: []string{program, "config", "check", "--against=" + againstRunning},
			Main: c.Name() == "watch" && !c.Flags().Changed("shard"),
		}
		if c.Name() == "watch" {
			cfg := &config.Config{}
			switch err := p.loadConfig(); {
			case err == nil:
				cfg = p.config
			case !errors.Is(err, fs.ErrNotExist): // else it is yet to be written
				return err
			}
			u.Journal = asksForEvents(cfg, flagValues(c.Flags().Lookup("alert")))
		}
		if p.given != nil {
			p.flags = *p.given // lists of hosts stay files, which are read again
		}
		var wrong error
		c.Flags().Visit(func(f *pflag.Flag) {
			for _, value := range flagValues(f) {
				word := "--" + f.Name + "=" + value
				switch {
				case f.Name == "systemd":
					continue
				case slices.Contains(secretFlags, f.Name):
					file, err := config.BelowHome(value)
					wrong = cmp.Or(wrong, err)
					u.Secrets = append(u.Secrets, service.Secret{Flag: f.Name, File: file})
					continue
				case f.Name == "config" || slices.Contains(checked, f.Name):
					u.Check = append(u.Check, word)
				}
				u.Command = append(u.Command, word)
			}
		})
		if wrong != nil {
			return wrong
		}
		u.Command = append(u.Command, args...)
		_, err = fmt.Fprint(p.out, &u)
		return err
	}
}

// asksForEvents tells whether rules or recordings are about what hosts write down.
func asksForEvents(cfg *config.Config, rules []string) bool {
	counts := func(r *alert.Rule) bool { return r.Kind == alert.EventCount }
	for _, text := range rules {
		if r, err := alert.ParseRule(text); err == nil && counts(&r) {
			return true
		}
	}
	for i := range cfg.Alerts.Rules {
		if counts(&cfg.Alerts.Rules[i]) {
			return true
		}
	}
	return slices.ContainsFunc(cfg.Records, func(r config.Record) bool { return r.Events })
}
