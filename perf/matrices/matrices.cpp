#include "perf/matrices/matrices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace matrices {
namespace {

/// A name's parameter, and the values that it takes: from `least` on, up to `most`.
struct Name {
  const char *word, *parameter;
  Kind kind;
  double least = 0, most = 0;
  bool whole = false;  ///< an integer
};
constexpr Name names[] = {
    {"phi", "X", Kind::phi, 0, 100},              // (rand - 0.5) exp(X randn), usual in the literature
    {"ties", nullptr, Kind::ties},                // every element of A B lies halfway between two numbers
    {"ties-graded", nullptr, Kind::ties_graded},  // ties, A's columns scaled up and B's rows down, 2^-40 to 2^40
    {"identity", nullptr, Kind::identity},
    {"one-hot", nullptr, Kind::one_hot},                // one 1 a row, at a random column
    {"permutation", nullptr, Kind::permutation},        // one 1 a row and column
    {"diagonal", nullptr, Kind::diagonal},              // random
    {"banded", "W", Kind::banded, 1, 1e9, true},        // W bands, random
    {"poisson1d", nullptr, Kind::poisson1d},            // 2 on the diagonal, -1 next to it
    {"block-diagonal", nullptr, Kind::block_diagonal},  // 8 blocks, scaled by 2^-40 to 2^40 (s: 2^-20 to 2^20)
    {"block-diagonal", "B", Kind::block_diagonal, 1, 1e9, true},  // blocks of order B, random
    {"triangular", nullptr, Kind::triangular},                    // A lower, B upper triangular, random
    {"poisson", nullptr, Kind::poisson},                          // five-point Laplacian of a square grid
    {"gauss", "W", Kind::gauss, 1e-9, 1e9},                       // exp(-d^2 / (2 W^2)), d = abs(i - j) / (n - 1)
    {"exp", "W", Kind::exponential, 1e-9, 1e9},                   // exp(-d / W)
    {"decay", "R", Kind::decay, 0, 1},                            // R^abs(i - j)
    {"vandermonde", nullptr, Kind::vandermonde},                  // ((i + 1) / rows)^j
    {"hilbert", nullptr, Kind::hilbert},                          // 1 / (i + j + 1)
    {"integers", "B", Kind::integers, 1, 30, true},               // below 2^B in magnitude, random
    {"sparse", "P", Kind::sparse, 0, 1},                          // random, an entry is not zero with probability P
    {"ends", nullptr, Kind::ends},  // A's columns scaled by 2^+-1000, B's rows by the inverse (s: 2^+-60)
    {"tiny", nullptr, Kind::tiny},  // A subnormal
};

/// Reads a square matrix. Throws std::runtime_error if the file is missing or malformed.
FileEntries read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  const auto malformed = [&](const char* what) { throw std::runtime_error(path + ": " + what); };
  if (!std::getline(file, line)) malformed("cannot be read");
  if (line.rfind("%%MatrixMarket matrix coordinate real ", 0) != 0) malformed("is not a real coordinate matrix");
  const bool symmetric = line.find("symmetric") != line.npos;
  while (std::getline(file, line) && line[0] == '%') {
  }
  Index rows = 0, columns = 0, count = 0;
  if (!(std::istringstream(line) >> rows >> columns >> count)) malformed("has no line of sizes");
  if (rows != columns) malformed("is not square");
  FileEntries out{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
  for (Index entry = 0; entry < count; ++entry) {
    Index i = 0, j = 0;
    double value = 0;
    if (!(file >> i >> j >> value) || i < 1 || j < 1 || i > rows || j > columns) malformed("has a bad entry");
    out.entries[static_cast<std::size_t>((i - 1) + (j - 1) * rows)] = value;
    if (symmetric) out.entries[static_cast<std::size_t>((j - 1) + (i - 1) * rows)] = value;
  }
  return out;
}

}  // namespace

bool is_file(const std::string& name) { return name.size() > 4 && name.compare(name.size() - 4, 4, ".mtx") == 0; }

std::string known_names() {
  std::string text;
  for (const Name& name : names) text += name.word + (name.parameter ? std::string(":") + name.parameter : "") + ", ";
  return text + "FILE.mtx";
}

std::string located(const std::string& name, const std::string& folder) {
  const bool shipped = is_file(name) && !std::filesystem::exists(name) && std::filesystem::exists(folder + "/" + name);
  return shipped ? folder + "/" + name : name;
}

Matrix named(const std::string& name) {
  if (is_file(name)) return {name, Kind::file, 0, std::make_shared<FileEntries>(read(name))};
  const std::size_t colon = name.find(':');
  const std::string word = name.substr(0, colon);
  for (const Name& known : names) {
    if (word != known.word || (colon != name.npos) != (known.parameter != nullptr)) continue;
    if (!known.parameter) return {name, known.kind};
    double value = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + colon + 1, end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= known.least && value <= known.most) ||
        (known.whole && value != std::floor(value))) {
      std::ostringstream message;
      message << "data " << name << ": " << known.word << ":" << known.parameter << " takes "
              << (known.whole ? "an integer" : "a number") << " from " << known.least << " to " << known.most;
      throw std::runtime_error(message.str());
    }
    return {name, known.kind, value};
  }
  throw std::runtime_error("unknown data " + name + "; known: " + known_names());
}

const std::vector<std::string>& listed() {
  static const std::vector<std::string> list = {
      "phi:0.5",    "identity",     "one-hot",           "permutation", "diagonal",    "poisson1d",  "poisson",
      "banded:5",   "triangular",   "block-diagonal:64", "integers:8",  "sparse:0.01", "gauss:0.05", "gauss:0.02",
      "exp:0.1",    "exp:0.01",     "decay:0.9",         "decay:0.1",   "vandermonde", "hilbert",    "1138_bus.mtx",
      "lund_a.mtx", "mahindas.mtx", "pores_1.mtx",       "west0479.mtx"};
  return list;
}

const std::vector<std::string>& listed_at_ends() {
  static const std::vector<std::string> list = {"ends", "tiny"};
  return list;
}

template <class T>
void fill(const Matrix& matrix, Side side, bool complex, T* to, Index rows, Index columns, Index number) {
  const Formula formula{matrix.kind, matrix.parameter, side, sizeof(T) == sizeof(float), rows, columns, number};
  const auto entry = [&](Index i, Index j, int part) {
    if (!matrix.file) return formula(i, j, part);
    const FileEntries& file = *matrix.file;
    return file.entries[static_cast<std::size_t>(i % file.rows + j % file.columns * file.rows)];
  };
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      if (complex)
        for (const int part : {0, 1}) *to++ = static_cast<T>(complex_entry(matrix.kind, entry, i, j, part));
      else
        *to++ = static_cast<T>(entry(i, j, 0));
}
template void fill(const Matrix&, Side, bool, double*, Index, Index, Index);
template void fill(const Matrix&, Side, bool, float*, Index, Index, Index);

template <class T>
void make_dominant(bool complex, T* a, Index n) {
  const Index parts = complex ? 2 : 1;
  std::vector<double> sums(static_cast<std::size_t>(n));  // sums of the magnitudes of row i and column i
  for (Index q = 0; q < parts * n * n; ++q) {
    const double magnitude = std::abs(static_cast<double>(a[q]));
    sums[static_cast<std::size_t>(q / parts % n)] += magnitude;
    sums[static_cast<std::size_t>(q / parts / n)] += magnitude;
  }
  const double more = std::max(4 * static_cast<double>(n), *std::max_element(sums.begin(), sums.end()));
  for (Index i = 0; i < n; ++i) a[i * (n + 1) * parts] += static_cast<T>(more);
}
template void make_dominant(bool, double*, Index);
template void make_dominant(bool, float*, Index);

}  // namespace matrices
