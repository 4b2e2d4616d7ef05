// The CSV file of a benchmark.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

class CsvFile {
 public:
  /// No file where the name is empty. Throws std::runtime_error where it cannot be written.
  CsvFile(const std::string& name, const char* head) {
    if (name.empty()) return;
    file_.reset(std::fopen(name.c_str(), "w"));
    if (!file_) throw std::runtime_error(name + " cannot be written");
    std::fprintf(file_.get(), "%s\n", head);
  }
  /// Null where there is none; for fprintf.
  std::FILE* get() const { return file_.get(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace bench
