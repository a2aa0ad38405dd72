package csv_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/csv"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// TestCodePages: headers in the languages of Windows are read in their code page, as
// nothing but their characters tells it: those with words that are known, and those of
// names that nobody knows.
func TestCodePages(t *testing.T) {
	for page, names := range map[string][]string{
		"1251": {
			`Процессор(_Total)\% загруженности процессора`, `Память\Доступно МБ`, `Объект(дело)\Очередь сообщений`, `Журнал\Принято/с`,
			`Служба очередей(Тест)\Сообщений/с`,
		},
		"932": {
			`プロセッサ(_Total)\プロセッサ時間`, `メモリ\使用可能 MB`, `論理ディスク(C:)\空き領域`, `注文(東)\待ち行列の長さ`, `サーバー\受信バイト数/秒`, `物理的な部品\温度`,
		},
		"936": {
			`处理器(_Total)\% 处理器时间`, `内存\可用 MB`, `订单队列(北京)\每秒消息数`, `温度传感器\当前值`, `数据库\用户连接`,
		},
		"949": {
			`프로세서(_Total)\% 프로세서 시간`, `메모리\사용 가능한 MB`, `주문 대기열(서울)\초당 메시지 수`, `온도\현재 값`, `데이터베이스\연결`,
		},
		"950": {`處理器(_Total)\% 處理器時間`, `記憶體\可用 MB`},
		"1252": {`Mémoire\Défauts de page/s`, `Arbeitsspeicher\Verfügbare MB`, `Warteschlange\Länge für Köln`, `Disco físico(_Total)\% de tempo`, `Objet\Température à l’entrée`,
			`Process(Gerätehandbücher)\x`, `Dienst(Prüfung)\Aufträge`, `Process(Jürgen)\x`, `Café(crème)\Prêt`, `Señal\Niños/s`, `Tjänst(kö)\värde`, `Straße\Höhe`,
			`Sessões\Não`, `Palvelu\Käyttäjät`, `Tæller(på)\Øst`, `Dienst\Rückmeldung`, `Naïve\Été`},
		"850":   {`Mémoire\Défauts de page/s`, `Arbeitsspeicher\Verfügbare MB`, `Warteschlange\Länge für Köln`},
		"1250":  {`Paměť\Dostupné MB`, `Pamięć\Dostępna liczba bajtów`},
		"866":   {`Процессор(_Total)\% загруженности процессора`},
		"20866": {`Процессор(_Total)\% загруженности процессора`, `Память\Доступно МБ`},
	} {
		for i := -1; i < len(names); i++ {
			one := names[max(i, 0):]
			if i >= 0 {
				one = one[:1]
			}
			checkPage(t, page, one)
		}
	}
	for _, wide := range []string{"utf-16le", "utf-16be"} {
		checkPage(t, wide, []string{`プロセッサ(_Total)\プロセッサ時間`, `Память\Доступно МБ`, `처리\값`})
		checkPage(t, wide, []string{`Memory\Available MBytes`})
	}
}

// checkPage reads a recording of these names in a code page without being told that.
func checkPage(t *testing.T, page string, names []string) {
	t.Helper()
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}}
	header := `"(PDH-CSV 4.0) (UTC)(0)"`
	for _, name := range names {
		path := `\\SRV\` + name
		h.Columns = append(h.Columns, logs.Column{Path: path})
		header += `,"` + path + `"`
	}
	text := header + "\r\n" + strings.Repeat(`"03/01/2026 10:00:00.000"`+strings.Repeat(`,"1.5"`, len(names))+"\r\n", 3)
	c := textfile.MustCodePage(page)
	data := []byte(text)
	if c.Wide != textfile.Narrow {
		data = nil
		for _, u := range utf16.Encode([]rune(text)) {
			if c.Wide == textfile.UTF16Low {
				data = append(data, byte(u), byte(u>>8))
			} else {
				data = append(data, byte(u>>8), byte(u))
			}
		}
	} else {
		var err error
		if data, err = c.Decode.NewEncoder().Bytes(data); err != nil {
			t.Fatalf("%s: %q: %v", page, names, err)
		}
	}
	name := formatstest.FileOf(t, "x.csv", string(data))
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Errorf("%s: %q: %v", page, names, err)
		return
	}
	defer r.Close()
	for i, got := range r.Header().Columns {
		if got.Path != h.Columns[i].Path {
			t.Errorf("%s: %q is read as %q", page, h.Columns[i].Path, got.Path)
		}
	}
	if rows := formatstest.Rest(t, r); len(rows) != 3 {
		t.Errorf("%s: %d rows", page, len(rows))
	}
}

// TestCodePageUnknown: where two code pages make equally good names nothing is guessed:
// the error says what they would make, and names the option.
func TestCodePageUnknown(t *testing.T) {
	short, _ := charmap.Windows1252.NewEncoder().String("äü") // дь in 1251
	noise := "\x81\x9d\xff\xa0\x80"
	for _, name := range []string{short, noise} {
		file := formatstest.FileOf(t, "x.csv", fmt.Sprintf("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\%s\\a\"\r\n", name))
		r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
		if err == nil {
			t.Errorf("%q is read as %q", name, r.Header().Columns[0].Path)
			r.Close()
			continue
		}
		if hint, ok := err.(interface{ Hint() string }); !ok || !strings.Contains(hint.Hint(), "--encoding") {
			t.Errorf("%v has no hint", err)
		}
		if r, err = formats.Open(t.Context(), file, logs.OpenOptions{Encoding: "1252"}); err != nil {
			t.Errorf("told, it is not read: %v", err)
			continue
		}
		r.Close()
	}
}

// FuzzCodePage: no header takes a guess down.
func FuzzCodePage(f *testing.F) {
	for _, seed := range []string{"\xcf\xf0\xee\xf6\xe5\xf1\xf1\xee\xf0", "\x83\x8d\x83\x5a", "M\xe9moire", "\xff\xfe\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, header []byte) {
		page, _, err := csv.TellPage(header, nil)
		if (page == nil) == (err == nil) {
			t.Errorf("%v, %v", page, err)
		}
	})
}
