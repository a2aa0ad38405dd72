package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
)

// The rules of a bundle times the instances of its recording have a bound, in which the same
// is judged each time.
func TestRulesTimesInstances(t *testing.T) {
	var text strings.Builder
	text.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range 1000 {
		fmt.Fprintf(&text, `,"\\h\Process(p%d)\%% Processor Time"`, i)
	}
	for k := range 3 {
		fmt.Fprintf(&text, "\r\n\"03/02/2026 03:00:%02d.000\"", 15*k)
		for range 1000 {
			text.WriteString(`,"0"`)
		}
	}
	file := filepath.Join(t.TempDir(), "big.csv")
	if err := os.WriteFile(file, []byte(text.String()+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	player, err := replay.Open([]string{file}, replay.Options{Open: func(name string) (logs.Reader, error) {
		return formats.Open(context.Background(), name, logs.OpenOptions{})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	var rules []alert.Rule
	for i := range 300 {
		r := rule(t, `\Process(*)\% Processor Time>1`)
		r.Name = fmt.Sprint("rule ", i)
		rules = append(rules, r)
	}
	b := alert.NewBacktest(alert.BacktestOptions{Rules: rules})
	try := backtest.Try{Meant: func(*replay.Host) bool { return true }, Take: func([]alert.Event) error { return nil }}
	if err := try.Run(t.Context(), player, b); err != nil {
		t.Fatal(err)
	}
	judged, told := 0, 0
	for _, o := range b.Outcomes() {
		judged += o.Samples
		if o.Problem != "" {
			told++
		}
	}
	if judged == 0 || judged > 3*100_000 || told < 200 || told == 300 || b.Left() == "" {
		t.Errorf("%d values were judged, of %d rules is told that they were not: %q", judged, told, b.Left())
	}
}

// Lists of decks and rules have a bound for all of them together.
func TestListsTogether(t *testing.T) {
	many := func(n int, text string) (out []string) {
		for range n {
			out = append(out, text)
		}
		return out
	}
	var decks, rules strings.Builder
	deck, err := json.Marshal(session.Deck{Name: "d", Panes: []session.DeckPane{{Paths: many(2000, `\A(b)\C`)}}})
	if err != nil {
		t.Fatal(err)
	}
	r := rule(t, `\A(*)\C>1`)
	r.Except = many(2000, "b")
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		decks.WriteString(string(deck) + "\n")
		rules.WriteString(string(line) + "\n")
	}
	var b Extras
	if damaged := b.readPart(kindDecks, []byte(decks.String())); damaged != 75 || len(b.Decks) != 25 {
		t.Errorf("%d decks, %d are left out", len(b.Decks), damaged)
	}
	if damaged := b.readPart(kindRules, []byte(rules.String())); damaged != 75 || len(b.Rules) != 25 {
		t.Errorf("%d rules, %d are left out", len(b.Rules), damaged)
	}
}
