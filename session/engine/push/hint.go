package push

import (
	"strings"

	"perfdeck/session"
)

type instant = session.Instant

// hintOf says what may be wrong when an engine refuses samples. Its words are those of
// Prometheus (tsdb/errors, storage/interface.go), which others took over.
func hintOf(a answer) string {
	words := strings.ToLower(a.words)
	switch {
	case strings.Contains(words, "duplicate sample"):
		return "do two perfdecks push the same hosts, as two with one --shard? a pair for availability needs --replica"
	case strings.Contains(words, "out of order"):
		return "do two perfdecks push the same hosts, or did a clock step back? Prometheus takes late samples with out_of_order_time_window"
	case strings.Contains(words, "out of bounds"), strings.Contains(words, "too old"), strings.Contains(words, "too far"):
		return "Prometheus takes samples of about the last hour, later ones with out_of_order_time_window; is the clock right?"
	case a.data || a.large:
		return ""
	}
	return "is that the address for remote write, and has this account the right to write?"
}
