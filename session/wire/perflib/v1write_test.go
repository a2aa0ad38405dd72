package perflib

import "strconv"

// AppendV1Name appends an entry of a name table, which AppendV1NamesEnd ends.
func AppendV1Name(dst []byte, index uint32, t Text) []byte {
	return AppendString(AppendString(dst, EncodeText(strconv.Itoa(int(index)))), t)
}

func AppendV1NamesEnd(dst []byte) []byte { return append(dst, 0, 0) }
