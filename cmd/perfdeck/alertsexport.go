package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/promrule"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/text/english"
)

// exportFlags are the flags of alerts export.
type exportFlags struct {
	rules, packs []string
	Prometheus   bool `flag:"prometheus" help:"as YAML that Prometheus and promtool read"`
	Raw          bool `flag:"raw" help:"for raw values, as of push --raw"`
	output       string
	overwrite    bool
}

func (p *program) alertsExportCommand() *cobra.Command {
	var f exportFlags
	c := flagged(&cobra.Command{
		Use:   "export --prometheus",
		Short: "Write the rules as a rule file of Prometheus",
		Long: `export writes rules as a rule file of Prometheus: those of the config, its packs, the
screens and --alert, or those of --pack alone. They are on the metrics that perfdeck
exporter and perfdeck push give: cooked values, or with --raw raw ones, from which the
expressions compute the values as explain --promql says. N of M samples, levels at which
it is well again, cool-down, hosts, exceptions, aggregates and absence are said in PromQL.
What PromQL cannot say, as quiet hours, is a comment of the file and a line on standard
error, with the reason.

The names of metrics depend on the types of counters. These are looked up on the hosts of
--host, or on this computer, and then in the starter packs. Each rule is evaluated at its
own interval, that of --interval, or each 15 seconds: series should have a sample as often.

The exit code is 3 when something of a rule is not in the file.`,
		Example: `  perfdeck alerts export --prometheus -o perfdeck-rules.yml
  perfdeck alerts export --prometheus --pack sqlserver --raw -H sql01`,
		Args: atMost(0),
	}, &f, p.exportRules)
	p.addAlertFlag(c, &f.rules)
	addPackFlag(c, &f.packs, "starter pack, instead of the rules of the config")
	addOutputFlags(c, &f.output, &f.overwrite, "")
	return c
}

var errNoForm = errors.New("alerts export: no form was given")

// exportRules writes rules for an engine.
func (p *program) exportRules(c *cobra.Command, _ []string, f exportFlags) error {
	if !f.Prometheus {
		return usage(errNoForm, "write perfdeck alerts export --prometheus")
	}
	_, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	rules, err := p.exported(f)
	if err != nil {
		return err
	}
	cats, missing, err := p.typesOf(c)
	if err != nil {
		return err
	}
	file := promrule.Make(rules, promrule.Options{Catalogues: cats, Every: every, Raw: f.Raw})
	if err := p.writeText(f.output, f.overwrite, file.Append(nil)); err != nil {
		return err
	}
	return p.tellLeft(file, missing)
}

// exported are the rules to be written.
func (p *program) exported(f exportFlags) (rules []alert.Rule, err error) {
	if len(f.packs) > 0 {
		for _, name := range f.packs {
			more, err := rulepack.Rules(name)
			if err != nil {
				return nil, usage(err)
			}
			rules = append(rules, more...)
		}
		extra, mistakes := ruleset.Parse(f.rules)
		if len(mistakes) > 0 {
			return nil, mistakes[0]
		}
		rules = append(extra, rules...)
	} else if rules, err = ruleset.InForce(p.config, nil, f.rules, p.tellError); err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, usage(fmt.Errorf("alerts export: %w", ruleset.ErrNone), "name some with --pack or --alert, or write an [[alert]] into the config")
	}
	return rules, nil
}

// typesOf are the catalogues of the hosts of the flags, or of this computer, and of the
// packs.
func (p *program) typesOf(c *cobra.Command) (cats []*session.Catalogue, missing int, err error) {
	hosts, err := p.hosts(inventory.Mode{})
	if err != nil {
		return nil, 0, err
	}
	defer inventory.CloseAll(hosts)
	for _, h := range hosts {
		cat, err := h.Source.Catalogue(c.Context())
		if err != nil {
			p.report(err)
			missing++
			continue
		}
		cats = append(cats, cat)
	}
	return append(cats, rulepack.Catalogue()), missing, nil
}

// tellLeft tells what is not in the file.
func (p *program) tellLeft(file *promrule.File, missing int) error {
	written, whole := 0, 0
	for _, g := range file.Groups {
		written += len(g.Rules)
	}
	for _, l := range file.Left {
		what := "in part"
		if l.Whole {
			what = "left out"
			whole++
		}
		p.aside("%s: %s: %s", what, l.Rule, l.Reason)
	}
	p.aside("written: %s, left out: %d", english.Count(written, "rule", "rules"), whole)
	return partlyIf(len(file.Left) > 0 || missing > 0)
}
