package collector

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNews: the screens begin with what became of recordings, and with
// commands that fit a narrow terminal; what ended is told once.
func TestNews(t *testing.T) {
	dir := RecordingsDir(t.TempDir())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noted := time.Now().UTC().Format(time.RFC3339)
	for id, more := range map[string]string{
		"aaaaaa": "stopped = " + noted + "\nreason = \"the disk is full\"\n",
		"bbbbbb": "",
		"cccccc": "reason = \"internal error: boom\"\n",
	} {
		text := "form = 1\nid = \"" + id + "\"\nstarted = " + noted + "\nnoted = " + noted + "\n" + more +
			"samples = 3\nmissed = 0\n[[host]]\nname = \"a\"\npaths = ['\\Memory\\*']\n" +
			"[[file]]\nname = \"/var/log/a/folder/whose/name/is/long/" + id + ".db\"\nserial = 1\nrows = 3\n"
		if err := os.WriteFile(filepath.Join(dir, id+".toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	news := News(dir, time.Now())
	all := strings.Join(news, "\n")
	for _, want := range []string{"aaaaaa.db", "the disk is full", "bbbbbb.db was interrupted", "internal error: boom"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing is said of %q:\n%s", want, all)
		}
	}
	const narrow = 37 // cells that the Log has on 60
	for _, command := range []string{"perfdeck record --resume bbbbbb", "perfdeck record --resume cccccc"} {
		i := slices.IndexFunc(news, func(line string) bool { return strings.Contains(line, command) })
		if i < 0 || len(news[i]) > narrow {
			t.Errorf("%q is not there, or is cut:\n%s", command, all)
		}
	}
	if again := strings.Join(News(dir, time.Now()), "\n"); strings.Contains(again, "aaaaaa") || !strings.Contains(again, "--resume bbbbbb") {
		t.Errorf("the next time: %s", again)
	}
}
