package csv_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// regions are headers of systems of regions, with the zones that they have there.
var regions = []struct {
	page, zone string
	names      []string
}{
	{"1255", "Israel Standard Time", []string{`מעבד(_Total)\% זמן מעבד`, `זיכרון\מגה-בתים זמינים`, `דיסק פיזי(_Total)\אורך תור ממוצע של דיסק`}},
	{"1251", "Russian Standard Time", []string{`Процессор(_Total)\% загруженности процессора`, `Служба очередей(Тест)\Сообщений/с`, `дело\очередь`}},
	{"1251", "FLE Daylight Time", []string{`Черга повідомлень\Прийнято за секунду`}},
	{"1253", "GTB Standard Time", []string{`Επεξεργαστής(_Total)\% χρόνος επεξεργαστή`, `Ουρά μηνυμάτων\Μηνύματα ανά δευτερόλεπτο`, `Φυσικός δίσκος(_Total)\Μέσο μήκος ουράς δίσκου`}},
	{"874", "SE Asia Standard Time", []string{`ตัวประมวลผล(_Total)\% เวลา`, `หน่วยความจำ\เมกะไบต์ที่ใช้ได้`}},
	{"1257", "FLE Standard Time", []string{`Procesorius(_Total)\% procesoriaus laikas užimta širdį`, `Atmintis\Laisva, mažiausiai ąžuolų`}},
	{"1257", "FLE Standard Time", []string{`Procesors(_Total)\Procesora laiks, noslogotības līmenis`, `Atmiņa\Brīvā, ķēde`}},
	{"1257", "FLE Standard Time", []string{`Mälu\Vaba mälu, võrk, žürii`}},
	{"1256", "Arab Standard Time", []string{`المعالج(_Total)\% وقت`, `الذاكرة\متوفر`}},
	{"1254", "Turkey Standard Time", []string{`İşlemci(_Total)\% İşlemci Zamanı`, `Sipariş Kuyruğu\Bekleyen sayısı`}},
	{"1250", "Central European Standard Time", []string{`Procesor(_Total)\Czas procesora (%)`, `Kolejka zamówień\Oczekujące wiadomości, część`}},
	{"1250", "Central Europe Standard Time", []string{`Fronta objednávek\Čekající zprávy, průměr`, `Paměť\Počet MB k dispozici`}},
	{"1250", "GTB Standard Time", []string{`Coadă comenzi\Mesaje în aşteptare`}},
	{"1252", "W. Europe Standard Time", []string{`Warteschlange\Länge für Köln`, `Prozessor(_Total)\Prozessorzeit (%)`}},
	{"932", "Tokyo Standard Time", []string{`プロセッサ(_Total)\プロセッサ時間`, `注文(東)\待ち行列の長さ`}},
}

// headerOf writes a recording of names in a code page.
func headerOf(t *testing.T, page, zone string, names ...string) (file string) {
	t.Helper()
	text := `"(PDH-CSV 4.0) (` + zone + `)(-120)"`
	for _, name := range names {
		text += `,"\\SRV\` + name + `"`
	}
	data, err := textfile.MustCodePage(page).Decode.NewEncoder().String(text + "\r\n\"03/01/2026 10:00:00.000\"" + strings.Repeat(`,"1.5"`, len(names)) + "\r\n")
	if err != nil {
		t.Fatalf("%s: %q: %v", page, names, err)
	}
	return formatstest.FileOf(t, "x.csv", data)
}

// TestRegions: the zone tells the page, whatever the names are. Without it a header is read right or
// asked about, and what only letters tell is said.
func TestRegions(t *testing.T) {
	for _, c := range regions {
		for i := -1; i < len(c.names); i++ {
			names := c.names
			if i >= 0 {
				names = names[i : i+1]
			}
			if isASCII(strings.Join(names, "")) {
				continue
			}
			for _, zone := range []string{c.zone, "UTC", "Mitte"} {
				r, err := formats.Open(t.Context(), headerOf(t, c.page, zone, names...), logs.OpenOptions{})
				if err != nil {
					var asks *csv.CodePageError
					if zone == c.zone || !errors.As(err, &asks) {
						t.Errorf("%s of %s: %q: %v", c.page, zone, names, err)
					} else if !slices.Contains(asks.Pages(), c.page) {
						t.Errorf("%s of %s: %q: it offers %q", c.page, zone, names, asks.Hint())
					}
					continue
				}
				for i, name := range names {
					if got := r.Header().Columns[i].Path; got != `\\SRV\`+name && (zone == c.zone || r.Header().Guess == "") {
						t.Errorf("%s of %s: %q is read as %q, guessed: %q", c.page, zone, name, got, r.Header().Guess)
					}
				}
				if zone == c.zone && r.Header().Guess != "" {
					t.Errorf("%s of %s: %q is told to be a guess", c.page, zone, names)
				}
				_ = r.Close()
			}
		}
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// TestElsewhere: a computer is in one country and speaks the language of another: words that are known
// decide.
func TestElsewhere(t *testing.T) {
	for page, name := range map[string]string{
		"1251": `Процесс(a)\% загруженности процессора`, "1250": `Dysk fizyczny(0 C:)\Bieżąca długość kolejki dysku`, "1254": `İşlemci(0)\% İşlemci Zamanı`,
		"1252": `Physikalischer Datenträger(0 C:)\Übertragungen/s`,
	} {
		for _, zone := range []string{"Israel Standard Time", "GTB Standard Time", "Eastern Daylight Time", "W. Europe Standard Time", "Turkey Standard Time", "UTC"} {
			r, err := formats.Open(t.Context(), headerOf(t, page, zone, name), logs.OpenOptions{})
			if err != nil {
				t.Errorf("%s of %s: %v", page, zone, err)
				continue
			}
			if h := r.Header(); h.Columns[0].Path != `\\SRV\`+name || h.Guess != "" {
				t.Errorf("%s of %s is read as %q, guessed %q", page, zone, h.Columns[0].Path, h.Guess)
			}
			_ = r.Close()
		}
	}
}

// TestSharedPages are recordings that others made of the fault.
func TestSharedPages(t *testing.T) {
	dir := sharedtest.Path(t, "faults/inputs/04-code-pages")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		got := r.Header().Columns
		_ = r.Close()
		page, is := map[string]string{"arabic": "1256", "greek": "1253", "hebrew": "1255", "lithuanian": "1257", "thai": "874", "turkish": "1254"}[strings.Split(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".csv"), "sibling-"), "-")[0]], "utf-8"
		if !strings.Contains(file, "utf8") {
			is = page
		}
		r, err = formats.Open(t.Context(), file, logs.OpenOptions{Encoding: is})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range r.Header().Columns {
			if got[i].Path != c.Path {
				t.Errorf("%s: %q is read as %q", filepath.Base(file), c.Path, got[i].Path)
			}
		}
		_ = r.Close()
	}
}
