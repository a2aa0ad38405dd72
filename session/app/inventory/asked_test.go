package inventory

import (
	"errors"
	"testing"
	"unicode/utf16"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
)

// TestParseQueries reads the same file in every encoding.
func TestParseQueries(t *testing.T) {
	const text = "; comment\r\n\\Memory\\Available MBytes\r\n\r\n  \"\\Büro(*)\\Größe\"\r\n# end"
	units := func(high int) (out []byte) {
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			pair := []byte{byte(u), byte(u >> 8)}
			out = append(out, pair[high], pair[1-high])
		}
		return out
	}
	for encoding, data := range map[string][]byte{
		"UTF-8": []byte(text), "UTF-8 with mark": []byte("\uFEFF" + text), "UTF-16LE": units(0), "UTF-16BE": units(1),
	} {
		got := ParseQueries("counters.txt", data)
		if len(got) != 2 || got[1].Origin != "counters.txt:4" || got[0].Text != `\Memory\Available MBytes` || got[1].Text != `\Büro(*)\Größe` {
			t.Errorf("%s: %v", encoding, got)
		}
	}
}

// Instances are made one by their names, as the counter says or as was asked for.
func TestAggregates(t *testing.T) {
	for function, own := range map[string]bool{"": true, "total": false} {
		got, err := Aggregates([]string{`\Process(a|b)\ID Process`}, function)
		if err != nil || len(got) != 1 || got[0].Combine == nil || got[0].Combine.Name != "a|b" || (got[0].Combine.Func == nil) != own {
			t.Errorf("%q: %+v, %v", function, got, err)
		}
	}
	for _, wrong := range [][2]string{{`\Process(a|b)\ID Process`, "largest of all"}, {`\Memory\Available MBytes`, ""}, {"Memory", ""}} {
		_, err := Aggregates([]string{wrong[0]}, wrong[1])
		if _, is := errors.AsType[*failure.UsageError](err); !is {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Only this computer and what the user named is known.
func TestIsKnown(t *testing.T) {
	c := &config.Config{Hosts: []config.Host{{Name: "Web01", Address: "tcp://10.0.0.1:1"}}}
	for computer, known := range map[string]bool{".": true, LocalName(): true, "WEB01": true, "sql01": false, "other": false, "10.0.0.1": false, "": false} {
		if got := IsKnown(computer, c); got != known {
			t.Errorf("%q: %v", computer, got)
		}
	}
	if IsKnown("web01", nil) || !IsKnown(Local, nil) {
		t.Error("without a config this computer alone is known")
	}
}

// Comments of other programs, the last line of typeperf -qx, and blanks that look like those that
// are typed make no other counter.
func TestParseQueriesOfPages(t *testing.T) {
	got := ParseQueries("c.txt", []byte("// old\n\\System\\Threads\u00a0\n\\Processor(_Total)\\%\u00a0Processor Time\n\nThe command completed successfully.\n"))
	if len(got) != 2 || got[0].Text != `\System\Threads` || got[1].Text != `\Processor(_Total)\% Processor Time` {
		t.Errorf("%+v", got)
	}
}
