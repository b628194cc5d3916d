package perfetto

import "encoding/binary"

// A message is an encoded protocol buffer.
type message []byte

const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
)

func (m *message) uint(field int, n uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|varint)
	*m = binary.AppendUvarint(*m, n)
}

func (m *message) fixed(field int, n uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|fixed64)
	*m = binary.LittleEndian.AppendUint64(*m, n)
}

func (m *message) text(field int, s string) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|bytes)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
}

func (m *message) message(field int, s message) { m.text(field, string(s)) }
