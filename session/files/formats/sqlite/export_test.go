package sqlite

const (
	ConnectionHeap = connectionHeap
	ReadOnly       = readOnly
	ReadWrite      = readWrite
	SharedHeap     = sharedHeap
	SlotsPerRow    = slotsPerRow
)

type (
	SQLiteTable = sqliteTable
	Writer      = writer
)

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
