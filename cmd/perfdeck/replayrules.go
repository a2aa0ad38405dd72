package main

import (
	"fmt"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/alert/journal"
	"perfdeck/session/config"
)

// rulesInForce are the rules that recordings are judged by: those of the command
// line, of the config and of packs, as users changed them and with those that they
// made. Nothing is written. report hears what of it could not be read.
func (p *program) rulesInForce(packs, texts []string, report func(error)) ([]alert.Rule, error) {
	rules, err := rulesOf(p.config, packs, texts)
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir()
	var memory *alert.Memory
	damaged := 0
	if err == nil {
		memory, damaged, err = journal.Read(dir, time.Now())
	}
	if err != nil {
		report(fmt.Errorf("rules that were made on the screens are not known: %w", err))
		return rules, nil
	}
	if damaged > 0 {
		report(fmt.Errorf("read the rules that were made on the screens in %s: %s could not be read and were left out", dir, count(damaged, "line", "lines")))
	}
	return alert.NewEngine(rules, 0, nil, memory).Rules(), nil
}
