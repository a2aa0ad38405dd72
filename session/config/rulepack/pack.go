// Package rulepack holds starter packs of alert rules: a handful for each subject,
// with a sentence each on why, and decks for hosts that have a role. They stand as tables
// of the config file, so that users can copy them there and change them.
package rulepack

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/sheet"
)

//go:embed packs/*.toml
var packs embed.FS

// names are the packs, in the order of lists.
var names = []string{"processor", "memory", "disk", "network", "sqlserver", "iis", "directory", "exchange", "hyperv", "containers", "services"}

// decksAlone are files like those of packs that have no rules: too little of what they are about can be judged.
var decksAlone = []string{"guest"}

// Names are the packs.
func Names() []string { return names }

// Text is a pack as tables of the config file.
func Text(name string) (string, error) {
	text, err := packs.ReadFile("packs/" + name + ".toml")
	if err != nil {
		return "", failure.WithHint(fmt.Errorf("alert pack %q: there is none", name), "packs: "+strings.Join(names, ", "))
	}
	return string(text), nil
}

// About is the sentence that a pack begins with; empty where there is no such pack.
func About(name string) string {
	text, _ := Text(name)
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	about, _, _ := strings.Cut(line, ". ")
	return about
}

// Rules are the rules of a pack.
func Rules(name string) ([]alert.Rule, error) {
	p, err := read(name)
	return p.Rules, err
}

func read(name string) (p alert.Pack, err error) {
	text, err := Text(name)
	if err != nil {
		return p, err
	}
	c, _, err := config.Parse(alert.PackOrigin+name, []byte(text))
	if err != nil {
		return p, err
	}
	return alert.Pack{Name: name, About: About(name), Rules: c.Alerts.Rules, Decks: c.Decks}, nil
}

// All are the packs, and behind them those that have decks alone.
func All() (all []alert.Pack) {
	for _, name := range slices.Concat(names, decksAlone) {
		if p, err := read(name); err == nil { // a test holds that it is
			all = append(all, p)
		}
	}
	return all
}

// known are the counters that packs are about, with their types on Windows, as its counter
// reference has them: for who writes about counters where no host is at hand that has them.
// A host's own types count more. Beside them stand those of nearly the same name.
//
//go:embed counters.txt
var known string

// Catalogue has the counters of all packs.
func Catalogue() *session.Catalogue {
	cat := &session.Catalogue{}
	for r := range sheet.Rows(known) {
		set := cat.Set(r.Part)
		if set == nil {
			set = &session.Counterset{Name: r.Part}
			if len(r.Of) > 0 {
				set.Instances = session.MultipleInstances
			}
			cat.Sets = append(cat.Sets, set)
		}
		t, _ := cooker.LookupType(r.Words[0])
		set.Counters = append(set.Counters, session.Counter{
			ID: uint32(len(set.Counters)), Name: r.Name, Type: t, Quantity: cooker.QuantityIn(t, r.Part, r.Name), Companions: session.NoCompanions,
		})
	}
	return cat
}

// Paths are the counters that the rules of a pack judge or work values out of.
func Paths(name string) (out []string, err error) {
	rules, err := Rules(name)
	if err != nil {
		return nil, err
	}
	for i := range rules {
		for _, path := range rules[i].Paths() {
			if text := path.String(); path.Object != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out, nil
}
