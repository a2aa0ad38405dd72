package main

import (
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/config"
)

// demoRules are on in the demo behind those of the user. Of the first a value is beyond
// the limit when it begins.
var demoRules = []struct {
	name, when string
	severity   alert.Severity
}{
	{"processor busy", `\Processor Information(_Total)\% Processor Time>80`, alert.Warning},
	{"very slow disk", `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.1`, alert.Critical},
	{"commit limit near", `\Memory\% Committed Bytes In Use>90`, alert.Warning},
}

// screenRules are the rules that are watched beside the screens: those of a config,
// those of --alert, and those of the demo.
func (p *program) screenRules(file *config.Config, texts []string) ([]alert.Rule, error) {
	rules, err := rulesOf(file, nil, texts)
	if err != nil || !p.flags.demo {
		return rules, err
	}
	for _, d := range demoRules {
		r, err := alert.ParseRule(d.when)
		if err != nil {
			return nil, err
		}
		r.Name, r.Severity, r.Interval, r.Origin = d.name, d.severity, time.Second, "the demo"
		rules = append(rules, r)
	}
	return rules, nil
}
