package alert

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

// mustRule reads a rule with options behind a bar: `\M\A>5 | for 2 of 3 | clear 3
// | cooldown 10s`.
func mustRule(t testing.TB, text string) Rule {
	t.Helper()
	parts := strings.Split(text, " | ")
	r, err := ParseRule(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts[1:] {
		word, rest, _ := strings.Cut(p, " ")
		switch word {
		case "for":
			need, of, _ := strings.Cut(rest, " of ")
			r.Need, _ = strconv.Atoi(need)
			r.Of, _ = strconv.Atoi(of)
		case "clear":
			f, err := strconv.ParseFloat(rest, 64)
			if err != nil {
				t.Fatal(err)
			}
			r.Clear = &f
		case "cooldown":
			r.Cooldown = mustDuration(t, rest)
		case "every":
			r.Interval = mustDuration(t, rest)
		case "average", "total":
			f, _ := cooker.ParseAggregate(word)
			r.Aggregate = &f
		case "after":
			r.After = mustDuration(t, rest)
		case "quiet":
			q, ok := ParseQuiet(rest)
			if !ok {
				t.Fatalf("quiet hours %q", rest)
			}
			r.Quiet = append(r.Quiet, q)
		default:
			t.Fatalf("option %q", p)
		}
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

func mustDuration(t testing.TB, text string) time.Duration {
	t.Helper()
	if text == "once" {
		return Once
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestJudge plays values, one a second. `-` is no value, `i` idle, `m3` three
// missed samples before the next. The wanted line has F where it fires, C where
// it is well again.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct{ rule, values, want string }{
		"crossing":                     {`\M\A>5`, "4 5 6 7 8 5 6", "..F..CF"},
		"the limit itself is not over": {`\M\A>5`, "5 5", ".."},
		"below":                        {`\M\A<200`, "300 200 199 150 200", "..F.C"},
		"beyond at the first sample":   {`\M\A>5`, "9 9 1", "F.C"},
		"hysteresis":                   {`\M\A>25 | clear 15`, "26 20 16 15 14 20 26", "F...C.F"},
		"hysteresis below":             {`\M\A<300 | clear 600`, "212 400 600 601", "F..C"},
		"clear at the limit":           {`\M\A>5 | clear 5`, "6 5 4", "F.C"},
		"N of M":                       {`\M\A>5 | for 3 of 5`, "6 1 6 1 6", "....F"},
		"N of M, too thin":             {`\M\A>5 | for 3 of 5`, "6 1 1 6 1 1 6 1 1", "........."},
		"all of M":                     {`\M\A>5 | for 3 of 3`, "6 6 1 6 6 6", ".....F"},
		"N of M ends as it began":      {`\M\A>5 | for 3 of 5`, "6 6 6 1 1 1 1", "..F..C."},
		"one of many":                  {`\M\A>5 | for 1 of 3`, "6 1 1 1 6", "F..CF"},
		"it fires on a value beyond only": {
			`\M\A>5 | for 2 of 4 | cooldown 4s`, "6 6 1 1 1 6 6 1 1", ".F..C...."},
		"a gap is not beyond":         {`\M\A>5 | for 2 of 2`, "6 - 6 6", "...F"},
		"a gap does not clear":        {`\M\A>5`, "6 - - - 6 1", "F....C"},
		"missed samples are gaps":     {`\M\A>5 | for 3 of 5`, "6 6 m3 6 6 6", "....F"},
		"missed samples do not clear": {`\M\A>5 | for 2 of 3`, "6 6 m9 6 1 1", ".F..C"},
		"idle is well":                {`\M\A>5`, "6 i 6", "FCF"},
		"idle is no reason":           {`\M\A<5`, "i i i", "..."},
		"cool-down":                   {`\M\A>5 | cooldown 3s`, "6 1 6 1 6 1", "FC..FC"},
		"what lasts longer than the cool-down fires": {
			`\M\A>5 | cooldown 3s`, "6 1 6 6 6 6", "FC..F."},
		"64 of 64":           {`\M\A>5 | for 64 of 64`, strings.Repeat("6 ", 63) + "6 1", strings.Repeat(".", 63) + "FC"},
		"negative limits":    {`\M\A>-5`, "-6 -5 -4", "..F"},
		"limit nobody meets": {`\M\A<0`, "0 0 1", "..."},
	} {
		r := mustRule(t, c.rule)
		if got := play(&r, c.values); got != c.want {
			t.Errorf("%s: %s over %s:\n got %s\nwant %s", name, c.rule, c.values, got, c.want)
		}
	}
}

func play(r *Rule, values string) string {
	j := judge{test: r.test()}
	var out strings.Builder
	missed := 0
	now := time.Duration(0)
	for _, word := range strings.Fields(values) {
		kind, value := measured, 0.0
		switch {
		case word[0] == 'm':
			missed, _ = strconv.Atoi(word[1:])
			now += time.Duration(missed) * time.Second
			continue
		case word == "-":
			kind = unknown
		case word == "i":
			kind = idle
		default:
			value, _ = strconv.ParseFloat(word, 64)
		}
		out.WriteByte(".FC"[j.judge(now, kind, value, missed)])
		missed = 0
		now += time.Second
	}
	return out.String()
}

// TestJudgeAlternates: whatever comes, an alert that fired clears before it fires
// again, and it never fires on a value that is not beyond the limit.
func TestJudgeAlternates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		r := Rule{Name: "r", Of: 1 + random.IntN(MaxOf)}
		r.When.Op, r.When.Limit = '>', 5
		r.Need = 1 + random.IntN(r.Of)
		if level := 5 * random.Float64(); random.IntN(2) == 0 {
			r.Clear = &level
		}
		r.Cooldown = time.Duration(random.IntN(5)) * time.Second
		j := judge{test: r.test()}
		firing := false
		ended := -time.Hour
		for i := range 300 {
			now := time.Duration(i) * time.Second
			kind, value := sampleKind(random.IntN(3)), 10*random.Float64()
			switch j.judge(now, kind, value, random.IntN(3)) {
			case fires:
				if firing || kind != measured || value <= 5 || now-ended < r.Cooldown {
					t.Fatalf("%+v fired at %v on %v of kind %d", r, now, value, kind)
				}
				firing = true
			case clears:
				if !firing || kind == unknown || kind == measured && value > 5 {
					t.Fatalf("%+v cleared at %v on %v of kind %d", r, now, value, kind)
				}
				firing, ended = false, now
			case stays:
			}
		}
	}
}

// TestQuietHours goes through nights on which the clocks change. Times are those
// of Berlin.
func TestQuietHours(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	for _, c := range []struct {
		hours, from string // the first moment, UTC
		want        string // one sign each half hour: q or .
	}{
		{"22:00-06:00", "2026-03-02T20:00:00Z", "..qqqqqqqqqqqqqqqq.."}, // 21:00 to 07:00
		// The night of spring is an hour shorter: 21:00, 22:00 ... 02:00 -> 03:00 ... 06:00.
		{"22:00-06:00", "2026-03-28T20:00:00Z", "..qqqqqqqqqqqqqq...."},
		// The night of autumn is an hour longer.
		{"22:00-06:00", "2026-10-24T19:00:00Z", "..qqqqqqqqqqqqqqqqqq"},
		// What the clock skips is not there; what it shows twice is quiet twice.
		{"02:00-03:00", "2026-03-29T00:00:00Z", "......"},
		{"02:00-03:00", "2026-10-24T23:00:00Z", "..qqqq.."},
		// A night belongs to the day on which it begins.
		{"fri 22:00-06:00", "2026-03-06T20:00:00Z", "..qqqqqqqqqqqqqqqq.."},
		{"sat 22:00-06:00", "2026-03-06T20:00:00Z", "...................."},
		{"sat,sun 00:00-24:00", "2026-03-06T22:00:00Z", "..qq"},
		{"fri-mon 23:00-24:00", "2026-03-08T21:30:00Z", ".qq.."},
		{"mon-fri 18:00-08:00", "2026-03-09T06:00:00Z", "...."}, // Monday morning: Sunday is none of them
		{"mon-fri 18:00-08:00", "2026-03-10T06:00:00Z", "qq.."},
	} {
		q, ok := ParseQuiet(c.hours)
		if !ok {
			t.Errorf("%q is not read", c.hours)
			continue
		}
		if again, ok := ParseQuiet(q.String()); !ok || again != q {
			t.Errorf("%q reads back from %q as %v", c.hours, q, again)
		}
		at, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		r := Rule{Quiet: []QuietHours{q}}
		got := ""
		for range c.want {
			got += map[bool]string{true: "q", false: "."}[r.quietAt(at, berlin)]
			at = at.Add(30 * time.Minute)
		}
		if got != c.want {
			t.Errorf("%s from %s: %s, want %s", c.hours, c.from, got, c.want)
		}
	}
	for _, wrong := range []string{"", "22", "22:00", "22:00-22:00", "24:00-06:00", "25:00-06:00", "22:00-06:60", "xyz 22:00-06:00", "mon- 22:00-06:00", "a b c"} {
		if q, ok := ParseQuiet(wrong); ok {
			t.Errorf("%q is read as %v", wrong, q)
		}
	}
}

func TestRuleText(t *testing.T) {
	for _, c := range []struct{ text, expression string }{
		{`\Processor(_Total)\% Processor Time>90`, `\Processor(_Total)\% Processor Time>90`},
		{` \Memory\Available MBytes < 200 `, `\Memory\Available MBytes<200`},
		{`absent \Process(sqlservr)\ID Process`, `absent \Process(sqlservr)\ID Process`},
		{`Absent HOST`, `absent host`},
	} {
		r, err := ParseRule(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		again, err := ParseRule(r.Expression())
		if r.Expression() != c.expression || err != nil || !again.sameCondition(&r) {
			t.Errorf("%s: %s (%v), want %s", c.text, r.Expression(), err, c.expression)
		}
	}
	for _, wrong := range []string{"", `\Memory\Available MBytes`, `\M\A>`, `absent`, `absent Memory`, `\\*\M\A>5`, `\*\A>5`} {
		r, err := ParseRule(wrong)
		if err == nil {
			err = r.Check()
		}
		if err == nil {
			t.Errorf("%q is taken for %s", wrong, r.Expression())
		}
	}
}

func TestRuleCheck(t *testing.T) {
	limit := func(f float64) *float64 { return &f }
	base := mustRule(t, `\M(*)\A>5`)
	for name, change := range map[string]func(*Rule){
		"name":      func(r *Rule) { r.Name = "" },
		"escape":    func(r *Rule) { r.Name = "a\x1b[2J" },
		"long text": func(r *Rule) { r.Text = strings.Repeat("x", 2000) },
		"interval":  func(r *Rule) { r.Interval = time.Millisecond },
		"for":       func(r *Rule) { r.Need, r.Of = 4, 3 },
		"of":        func(r *Rule) { r.Need, r.Of = 4, 65 },
		"clear":     func(r *Rule) { r.Clear = limit(6) },
		"cooldown":  func(r *Rule) { r.Cooldown = -1 },
		"after":     func(r *Rule) { r.After = 1000 * time.Hour },
		"severity":  func(r *Rule) { r.Severity = 3 },
		"level":     func(r *Rule) { r.Kind, r.Clear = HostLost, limit(3) },
	} {
		r := base
		change(&r)
		if err := r.Check(); err == nil {
			t.Errorf("%s: nothing is wrong with %+v", name, r)
		}
	}
	for _, ok := range []func(*Rule){
		func(r *Rule) { r.Interval = Once },
		func(r *Rule) { r.Clear = limit(5) },
		func(r *Rule) { r.Need, r.Of = 64, 64 },
	} {
		r := base
		ok(&r)
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestActions(t *testing.T) {
	for _, text := range []string{"log", "bell", "title", "desktop", "file:/var/log/a:b", "syslog", "webhook:ops", "task:page", "record:night", "stop-record:night", `start-set:web1\Detail`, `stop-set:web1\System\X`} {
		if a, ok := ParseAction(text); !ok || a.String() != text {
			t.Errorf("%q is read as %v", text, a)
		}
	}
	for _, text := range []string{"", "beep", "bell:x", "task", "task:", "task: ", "TASK:x"} {
		if a, ok := ParseAction(text); ok {
			t.Errorf("%q is read as %v", text, a)
		}
	}
}

// FuzzParseRule: what is read is written so that it is read again as the same.
func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{`\M\A>5`, `absent host`, `absent \A(b#2)\C`, `\O\C>5>6`, `absent \\srv\O(*)\C`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil || r.Check() != nil {
			return
		}
		again, err := ParseRule(r.Expression())
		if err != nil || !again.sameCondition(&r) || again.When.Limit != r.When.Limit {
			t.Errorf("%q is written as %q, which is %+v (%v)", text, r.Expression(), again, err)
		}
	})
}
