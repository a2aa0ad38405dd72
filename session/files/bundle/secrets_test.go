package bundle

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
)

// withSecrets writes a password before what plant wrote.
func withSecrets(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); v.CanSet() && strings.HasPrefix(text, "S3cr-") {
			v.SetString("run --password=" + text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			withSecrets(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			withSecrets(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				withSecrets(v.Field(i))
			}
		}
	default:
	}
}

// telling is a recording that has a secret wherever it can have one.
func telling(t testing.TB, columns []string, text string) logs.Reader {
	t.Helper()
	h := logs.Header{Zone: logs.Zone{Name: "token=S3cr-Zone-", Known: true}, Caption: "token=S3cr-Caption-"}
	row := logs.Row{Time: start}
	for _, path := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: path, TypeKnown: true, Type: cooker.CounterText})
		row.Values, row.Raw = append(row.Values, cooker.TextValue(text)), append(row.Raw, logs.Raw{})
	}
	file := filepath.Join(t.TempDir(), "telling.db")
	w, err := formats.Create(file, formats.Usual(formats.ToRecord), &h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRow(&row); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return reader(t, file)
}

// No part of a bundle has a secret, wherever it stood: in every text of decks, rules, events,
// the log and notes, and in paths, captions, texts and titles of recordings.
func TestNoSecretIsLeft(t *testing.T) {
	var b Extras
	plant(reflect.ValueOf(&b).Elem(), "")
	r := rule(t, `\App(run --password=S3cr-.Rules.When-)\x>3`)
	b.Rules[0].When, b.Rules[0].Kind, b.Rules[0].Severity = r.When, alert.Threshold, alert.Warning
	b.Rules[0].Quiet, b.Rules[0].Need, b.Rules[0].Of, b.Rules[0].Clear, b.Rules[0].Aggregate = nil, 1, 1, nil, new(cooker.AggregateTotal)
	b.Rules[0].Actions, b.Rules[0].OnClear, b.Rules[0].Events = nil, nil, alert.Count{}
	b.Decks[0].Panes[0].Paths, b.Decks[0].Panes[0].Also = []string{`\A(b --password=S3cr-.Decks.Panes.Paths-)\B`}, []string{`\A(b)\token=S3cr-.Decks.Panes.Also-`}
	b.Decks[0].Panes[0].Or = []string{`\A(b)\token=S3cr-.Decks.Panes.Or-`}
	b.Events[0].Time, b.Log[0].Time, b.Log[0].Level = start, start, screenlog.Levels[0]
	b.Events[0].Rule = nil
	b.Events[0].Path = `\\pwd=S3cr-.Events.Host-\A(b --password=S3cr-.Events.Path-)\B`
	withSecrets(reflect.ValueOf(&b).Elem())
	formula, err := alert.ParseFormula("{token=S3cr-.Rules.Value-} + 1")
	if err != nil {
		t.Fatal(err)
	}
	b.Rules[0].Value = formula
	n, err := note.New(start, "pwd=S3cr-.Notes.Text-", "pwd=S3cr-.Notes.By-")
	if err != nil {
		t.Fatal(err)
	}
	b.Notes = []note.Note{n}
	columns := []string{
		`\\h\App(run --password=S3cr-Instance-#2)\x`, `\\h\App(a)\token=S3cr-Counter-`, `\\h\Set of token=S3cr-Set-(a)\x`, `\\token=S3cr-Host-\App(a)\x`,
		`\\h\App(https://user:S3cr-Url-@h/x)\x`, `\\h\App(token=S3cr-Parent-/b)\x`, `\\h\App(a (token=S3cr-Paren-) b)\x`,
	}
	for _, o := range []Options{{}, {Anonymous: true}} {
		file, m := pack(t, []Recording{{Title: "night token=S3cr-Title-", Reader: telling(t, columns, "mysqld --password=S3cr-Value-")}}, b, o)
		if left := found(t, file); len(left) > 0 {
			t.Errorf("anonymous %v: a bundle holds %v", o.Anonymous, left)
		}
		if got := unpack(t, file); got.Damaged > 0 || len(got.Rules) != 1 && !o.Anonymous || len(got.Decks) != 1 || len(got.Events) != 1 || m.Parts[0].Counters != len(columns) {
			t.Errorf("anonymous %v: %d damaged, %d counters, %v", o.Anonymous, got.Damaged, m.Parts[0].Counters, m.Left)
		}
	}
}

// Forms of secrets in names; what is none stays, and two names are two.
func TestSecretsInNames(t *testing.T) {
	paths1 := []string{
		`\\h\App(mysqld --password=a)\x`, `\\h\App(mysqld --password=b)\x`, `\\h\App(mysqld --password=b#1)\x`, `\\h\App(mysqld --password=…)\x`,
		`\\h\App(tok ghp_0123456789abcdefghij)\x`, `\\h\App(tok_glpat-0123456789abcdefghij)\x`, `\\user:pw@web01\App(a)\x`, `\\h\App(redis-cli -h db -a hunter2 ping)\x`,
		`\\h\App(mysql -u root -phunter2 shop)\x`, `\\h\App(sshpass -p hunter2 ssh h)\x`, `\\h\App(curl -u ana:hunter2 h)\x`, `\\h\App(x --db-password 'hunter 2' y)\x`, `\\h\App(hooks.example.com/services/T0/B0/hunter2)\x`,
		`\\h\App(k7Gx2Lq9ZpR4vT8mW1sY3n)\x`, `\\h\App(xoxb-1234567890-hunter2)\x`, `\\h\App(eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.hunter2)\x`,
		`\\h\App(Pwd:hunter2;Server=x)\x`, `\\h\App(AccountKey=hunter2)\x`, `\\h\App(Authorization: Bearer hunter2hunter2)\x`, `\\h\App(PGPASSWORD=hunter2 psql)\x`,
		`\\h\App(sqlcmd -U sa -P hunter2)\x`, `\\h\App(docker login -u a -p hunter2 r)\x`, `\\h\App(plink -pw hunter2 h)\x`, `\\h\App(ldapsearch -x -w hunter2)\x`, `\\h\App(sqlplus ana/hunter2@orcl)\x`,
		`\\h\App(Kennwort: hunter2)\x`, "\\\\h\\App(password\u00a0=\u00a0hunter2)\\x", `\\h\App(password%3Dhunter2)\x`, `\\h\App(<db.password>hunter2</db.password>)\x`, `\\h\App(creds -> hunter2)\x`,
		`\\h\App(https%3A%2F%2Fexample.com%2Fhunter2)\x`,
	}
	same := []string{
		`\\h\Security System-Wide Statistics\Digest Authentications`, `\\h\GPU Engine(pid_1234_luid_0x00000000_0x0000D3F4_phys_0_eng_0_engtype_3D)\Utilization Percentage`,
		`\\h\W3SVC_W3WP(12345_MicrosoftEdgeWebView2Pool)\Requests / Sec`, `\\h\App(VirtualMachineNetworkAdapter2)\x`, `\\h\App(nc -p 8080 h)\x`, `\\h\App(ssh -p 2222 h)\x`, `\\h\App(mkdir -p x)\x`,
		`\\h\App(8f2c3a1e-0000-1111-2222-333344445555)\x`, `\\h\App(a#1)\x`, `\\h\App(0 C:)\x`, `\\h\App(west/orders)\x`, `\\h\App(mysqld --port 3306)\x`, `\\h\App(task-manager-7)\x`, `\\h\ASP.NET Applications(_LM_W3SVC_1_ROOT_MyApp)\Requests/Sec`,
		`\\h\App(java -Dpass)\x`, `\\h\App(docker run -p 8080:80 x)\x`, `\\h\App(Token>5)\x`, `\\h\App(unzip x.zip)\x`, `\\h\App(ctr 4f3c9a7be21d4f3c9a7be21d4f3c9a7be21d)\x`,
	}
	file, _ := pack(t, []Recording{{Title: "night", Reader: telling(t, append(same, paths1...), "ready")}}, Extras{}, Options{})
	columns := reader(t, unpack(t, file).Files[0]).Header().Columns
	seen := map[string]bool{}
	for i, c := range columns {
		switch p, err := paths.Parse(c.Path); {
		case err != nil:
			t.Error(err)
		case seen[p.String()]:
			t.Errorf("%s is there twice", c.Path)
		default:
			seen[p.String()] = true
		}
		if i < len(same) && c.Path != same[i] {
			t.Errorf("%s is %s", same[i], c.Path)
		}
		for _, secret := range []string{"hunter", "ghp_0", "glpat-0", "user:pw", "=a)", "=b", "k7Gx2", "xoxb"} {
			if strings.Contains(c.Path, secret) {
				t.Errorf("%s is left", c.Path)
			}
		}
	}
}
