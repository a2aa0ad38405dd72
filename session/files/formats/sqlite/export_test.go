package sqlite

import "perfdeck/session/files/logs"

const (
	ConnectionHeap = connectionHeap
	ReadOnly       = readOnly
	ReadWrite      = readWrite
	SharedHeap     = sharedHeap
	SlotsPerRow    = slotsPerRow
)

var (
	CopyFile     = copyFile
	ErrForeign   = errForeign
	ErrNoSet     = errNoSet
	ErrOrphan    = errOrphan
	High         = high
	Low          = low
	OpenDatabase = openDatabase
	PackedCells  = packedCells
	SQLiteSize   = sqliteSize
)

// NumberOf asks for a number with the connection of a writer.
func NumberOf(w logs.Writer, query string) (int64, error) { return w.(*writer).db.number(query) }

// PLATables are the names of the tables of MS-PLA.
func PLATables() (names []string) {
	for _, t := range plaTables {
		names = append(names, t.name)
	}
	return names
}

func (d *database) Close() error { return d.close() }

func (d *database) Exec(query string) error { return d.exec(query) }

func (d *database) Number(query string) (int64, error) { return d.number(query) }

func (d *database) Query(query string) (*results, error) { return d.query(query) }

func (r *results) Close() { r.close() }

func (r *results) Next() (bool, error) { return r.next() }
