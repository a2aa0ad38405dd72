package sqlite

import "perfdeck/session/files/logs"

const (
	ConnectionHeap = connectionHeap
	ReadOnly       = readOnly
	ReadWrite      = readWrite
	SharedHeap     = sharedHeap
	SlotsPerRow    = slotsPerRow
)

type SQLiteTable = sqliteTable

var (
	CopyFile     = copyFile
	ErrForeign   = errForeign
	ErrNoSet     = errNoSet
	ErrOrphan    = errOrphan
	High         = high
	Low          = low
	OpenDatabase = openDatabase
	PLATables    = plaTables
	PackedCells  = packedCells
	SQLiteSize   = sqliteSize
)

// NumberOf asks for a number with the connection of a writer.
func NumberOf(w logs.Writer, query string) (int64, error) { return w.(*writer).db.Number(query) }
