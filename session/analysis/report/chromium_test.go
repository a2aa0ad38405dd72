package report_test

import (
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// chromium runs the browser without a window and returns what it prints.
func chromium(t *testing.T, args ...string) string {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("SKIPPED: there is no chromium to open the report in")
	}
	ctx, end := context.WithTimeout(t.Context(), 3*time.Minute)
	defer end()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + dir,
	}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	return string(out)
}

// ours are the elements that a report is made of.
var ours = []string{
	"html", "head", "meta", "title", "style", "body", "a", "header", "div", "span", "b", "fieldset", "legend", "label", "input", "h1", "h2", "h3", "h4", "p", "main", "ol", "ul",
	"li", "br", "nav", "article", "dl", "dt", "dd", "figure", "figcaption", "svg", "g", "line", "rect", "path", "text", "circle", "desc", "code", "section", "table", "caption", "thead", "tbody", "tr", "th", "td",
	"wbr", "details", "summary", "footer", "i", "kbd",
}

var (
	element   = regexp.MustCompile(`<([a-zA-Z][a-zA-Z0-9]*)((?:\s+[^<>"]*(?:"[^"]*"[^<>"]*)*)?)>`)
	attribute = regexp.MustCompile(`\s([a-zA-Z-]+)="`)
	forbidden = []string{"src", "srcset", "action", "formaction", "background", "xlink"}
)

// Opened in a browser a report has no script and no element that it did not write, whatever
// names there are.
func TestHostileNamesInChromium(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostile.html")
	if err := os.WriteFile(file, []byte(htmlOf(t, hostileReport(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := chromium(t, "--dump-dom", "file://"+file)
	if !strings.Contains(dom, "&lt;img") {
		t.Fatal("the names are not in the page")
	}
	found := 0
	for _, m := range element.FindAllStringSubmatch(dom, -1) {
		found++
		if !slices.Contains(ours, strings.ToLower(m[1])) {
			t.Errorf("an element that is not ours: %.100s", m[0])
		}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			if name := strings.ToLower(a[1]); strings.HasPrefix(name, "on") || slices.Contains(forbidden, name) {
				t.Errorf("an attribute that is not ours: %.100s", m[0])
			}
		}
	}
	if found < 500 {
		t.Errorf("%d elements", found)
	}
}

// The page never scrolls sideways, and its text nowhere lies on other text.
func TestWidthsInChromium(t *testing.T) {
	pages := map[string]string{"night": htmlOf(t, reportOf(t)), "hostile": htmlOf(t, hostileReport(t))}
	dir := t.TempDir()
	for name, page := range pages {
		// In a frame of its own, so that a window that cannot be narrow does not matter; only
		// this copy may run a script, which measures.
		page = strings.Replace(page, `<meta http-equiv="Content-Security-Policy"`, `<meta name="left-out"`, 1)
		var frames strings.Builder
		for _, width := range []int{1280, 800, 390} {
			fmt.Fprintf(&frames, `<iframe width="%d" height="900" srcdoc="%s"></iframe>`, width, html.EscapeString(page))
		}
		script := `<p id="out"></p><script>onload=()=>{let out="";for(const f of document.querySelectorAll("iframe")){const d=f.contentDocument;
const w=d.documentElement;let wide=[];for(const e of d.querySelectorAll("h1,h2,h3,p,figure,.sc,.sum,dl,details"))if(e.getBoundingClientRect().right>w.clientWidth+1)wide.push(e.tagName+"."+e.className);
out+=f.width+":"+(w.scrollWidth-w.clientWidth)+":"+[...new Set(wide)].join(",")+";";
for(const s of d.querySelectorAll("svg.ev")){const r=[...s.querySelectorAll("text.xl,text.yl")].map(e=>[e.getBoundingClientRect(),e.textContent]).filter(x=>x[0].width>0);
for(let i=0;i<r.length;i++)for(let j=i+1;j<r.length;j++){const a=r[i][0],b=r[j][0];if(a.left<b.right-1&&b.left<a.right-1&&a.top<b.bottom-3&&b.top<a.bottom-3)out+="overlap "+f.width+" "+r[i][1]+" "+r[j][1]+";"}}}
document.getElementById("out").textContent="measured "+out}</script>`
		file := filepath.Join(dir, name+".html")
		if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8>"+script+frames.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		dom := chromium(t, "--dump-dom", "--window-size=1400,1000", "file://"+file)
		_, rest, ok := strings.Cut(dom, "measured ")
		if !ok {
			t.Fatalf("%s: nothing was measured", name)
		}
		rest, _, _ = strings.Cut(rest, "<")
		if want := "1280:0:;800:0:;390:0:;"; rest != want {
			t.Errorf("%s: width, pixels beyond it, what is wider: %s", name, rest)
		}
	}
}
