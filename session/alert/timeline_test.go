package alert_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
)

// An episode begins with the first of the samples that fired it, and ends when so many are
// well that it does not fire any more.
func TestEpisodes(t *testing.T) {
	begin := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	text := `"(PDH-CSV 4.0) (UTC)(0)","\\srv\Disk(C:)\Queue"` + "\r\n"
	values := []string{"1", "1", "9", "1", "9", "9", "9", "3", "1", "1", "1", "1", "1", "9", "9", "9"}
	for i, v := range values {
		text += `"` + begin.Add(time.Duration(i)*time.Second).Format("01/02/2006 15:04:05.000") + `","` + v + "\"\r\n"
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := alert.ParseRule(`\Disk(*)\Queue>5`)
	if err != nil {
		t.Fatal(err)
	}
	well := 2.0
	r.Need, r.Of, r.Clear, r.Interval = 3, 4, &well, time.Second
	events, _, b := backtested(t, []alert.Rule{r}, time.Second, file)
	var got []string
	for _, ep := range b.Timeline(events).Episodes() {
		since := func(at time.Time) string {
			if at.IsZero() {
				return "-"
			}
			return at.Sub(begin).String()
		}
		got = append(got, since(ep.Began)+" "+since(ep.Since)+" "+since(ep.Until)+" "+ep.Every.String())
	}
	if want := "2s 5s 9s 1s|13s 15s - 1s"; strings.Join(got, "|") != want {
		t.Errorf("episodes %q, not %q", strings.Join(got, "|"), want)
	}
}
